// mottle/ranks/mpi/shared_boxes.cpp: halos between processes of one machine, in memory that both of them see
#include "mottle/ranks/mpi/shared_boxes.h"

#include "mottle/core/error.h"
#include "mottle/ranks/mpi/wait.h"
#include <cerrno>
#include <cstring>
#include <random>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mottle::ranks {
namespace {

using core::at;

constexpr std::uint64_t kPage = 65536;   // the largest of any system
constexpr std::size_t kTokenBytes = 64;  // before the slots
constexpr int kChannels = 27;            // of halos

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "two processes cannot share a lock of the library");

std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// `ulimit -f` holds for files in memory, too: a halo that is longer would end the process by a signal.
bool limits_files() {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

[[noreturn]] void throw_no_memory() {
    throw core::DeviceError(std::string("no memory for halos that two ranks share (") + std::strerror(errno) +
                            "); MOTTLE_SHARED_HALOS=0 sends them as messages");
}

}  // namespace

SharedBoxes::SharedBoxes(int place, int count) : place_(place), count_(count), files_(at(count), -1), heads_(at(count)) {
    address_.process = getpid();
    const int file = limits_files() ? -1 : memfd_create("mottle-halos", MFD_CLOEXEC);
    if (file < 0) return;
    files_[at(place)] = file;
    Piece& head = heads_[at(place)];
    head.size = end_ = whole_pages(kTokenBytes + at(count) * kChannels * sizeof(Slot));
    if (ftruncate(file, static_cast<off_t>(end_)) != 0 || !try_map(file, head)) return;
    std::random_device random;
    address_.token = std::uint64_t{random()} << 32 | random();
    std::memcpy(head.memory, &address_.token, sizeof address_.token);
    address_.file = file;
}

SharedBoxes::~SharedBoxes() {
    for (auto* boxes : {&sent_, &read_}) {
        for (auto& [key, box] : *boxes) {
            for (Piece& piece : box.pieces) unmap(piece);
        }
    }
    for (Piece& head : heads_) unmap(head);
    for (const int file : files_) {
        if (file >= 0) close(file);
    }
}

bool SharedBoxes::open(std::span<const Address> all) {
    for (int place = 0; place < count_; ++place) {
        const Address& other = all[at(place)];
        if (other.file < 0) return false;
        if (place == place_) continue;
        const std::string path = "/proc/" + std::to_string(other.process) + "/fd/" + std::to_string(other.file);
        const int file = files_[at(place)] = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        struct stat status {};
        Piece& head = heads_[at(place)];
        head.size = heads_[at(place_)].size;
        if (file < 0 || fstat(file, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < head.size) return false;
        if (!try_map(file, head) || std::memcmp(head.memory, &other.token, sizeof other.token) != 0) return false;
    }
    return true;
}

SharedBoxes::Slot& SharedBoxes::slot(int sender, int reader, int channel) const {
    const std::size_t number = at(reader * kChannels + channel - channel::halo);
    return reinterpret_cast<Slot*>(heads_[at(sender)].memory + kTokenBytes)[number];
}

bool SharedBoxes::try_map(int file, Piece& piece) {
    void* memory = mmap(nullptr, piece.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(piece.place));
    if (memory == MAP_FAILED) return false;
    piece.memory = static_cast<std::byte*>(memory);
    return true;
}

void SharedBoxes::map(int file, Piece& piece) {
    if (!try_map(file, piece)) throw_no_memory();
}

void SharedBoxes::unmap(Piece& piece) {
    if (piece.memory != nullptr) munmap(piece.memory, piece.size);
    piece.memory = nullptr;
}

// At the end of the file; the memory of what was there before goes back to the system.
void SharedBoxes::enlarge(Piece& piece, std::size_t size) {
    const int file = files_[at(place_)];
    if (piece.memory != nullptr) {
        unmap(piece);
        fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(piece.place), static_cast<off_t>(piece.size));
    }
    piece.place = end_;
    piece.size = whole_pages(size);
    if (ftruncate(file, static_cast<off_t>(end_ + piece.size)) != 0) throw_no_memory();
    end_ += piece.size;
    map(file, piece);
}

std::span<std::byte> SharedBoxes::outbox(int to, int channel, std::size_t size) {
    Box& box = sent_[{to, channel}];
    const Slot& shared = slot(place_, to, channel);
    wait_until([&] { return shared.taken.load(std::memory_order_acquire) + 2 > box.messages; });
    Piece& piece = box.pieces[box.messages % 2];
    if (piece.size < size) enlarge(piece, size);
    return {piece.memory, size};
}

void SharedBoxes::post(int to, int channel) {
    Box& box = sent_[{to, channel}];
    Slot& shared = slot(place_, to, channel);
    const std::size_t copy = box.messages % 2;
    shared.place[copy] = box.pieces[copy].place;
    shared.size[copy] = box.pieces[copy].size;
    shared.posted.store(++box.messages, std::memory_order_release);
}

bool SharedBoxes::has_come(int from, int channel) {
    return slot(from, place_, channel).posted.load(std::memory_order_acquire) > read_[{from, channel}].messages;
}

std::span<const std::byte> SharedBoxes::inbox(int from, int channel, std::size_t size) {
    Box& box = read_[{from, channel}];
    const Slot& shared = slot(from, place_, channel);
    const std::size_t copy = box.messages % 2;
    Piece& piece = box.pieces[copy];
    if (piece.memory == nullptr || piece.place != shared.place[copy]) {
        unmap(piece);
        piece.place = shared.place[copy];
        piece.size = shared.size[copy];
        map(files_[at(from)], piece);
    }
    if (piece.size < size) throw core::InternalError("a halo of another size than expected");
    return {piece.memory, size};
}

void SharedBoxes::release(int from, int channel) {
    slot(from, place_, channel).taken.store(++read_[{from, channel}].messages, std::memory_order_release);
}

}  // namespace mottle::ranks
