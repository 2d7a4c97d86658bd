// mottle/output/gif_join.cpp: reads the blocks of GIFs and puts those of two files behind each other
#include "mottle/output/gif_join.h"

#include "mottle/core/error.h"

#include <cmath>

namespace mottle::output {
namespace {

constexpr char kExtension = '\x21', kImage = '\x2C', kTrailer = '\x3B';
constexpr char kGraphicControl = '\xF9', kApplication = '\xFF', kComment = '\xFE';
constexpr std::size_t kHeadBytes = 13, kImageBytes = 10;  // with the signature; with the separator

/// Reads forward; past the end it fails, once and for all.
class Reader {
   public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    std::size_t at() const { return at_; }
    bool failed() const { return failed_; }
    std::uint8_t byte() {
        if (at_ >= bytes_.size()) failed_ = true;
        return failed_ ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]);
    }
    int word() {
        const int low = byte();
        return low + 256 * byte();
    }
    void skip(std::size_t count) {
        if (count > bytes_.size() - at_) failed_ = true;
        if (!failed_) at_ += count;
    }
    /// Blocks of up to 255 bytes, each behind its length, up to one of none.
    void skip_blocks() {
        while (const std::uint8_t length = byte()) skip(length);
    }
    /// A table of colours, if the flags say that there is one.
    std::string_view table(std::uint8_t flags) {
        if ((flags & 0x80) == 0) return {};
        const std::size_t first = at_;
        skip(std::size_t{3} << ((flags & 7) + 1));
        return failed_ ? std::string_view() : bytes_.substr(first, at_ - first);
    }

   private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

void append_frame(std::string& whole, std::string_view bytes, const GifBlocks::Frame& frame, int delay) {
    const std::size_t first = whole.size();
    whole += bytes.substr(frame.first, frame.end - frame.first);
    if (frame.delay == 0) return;
    whole[first + frame.delay - frame.first] = static_cast<char>(delay & 255);
    whole[first + frame.delay - frame.first + 1] = static_cast<char>(delay >> 8);
}

}  // namespace

std::optional<GifBlocks> parse_gif(std::string_view bytes) {
    if (bytes.size() < kHeadBytes || (!bytes.starts_with("GIF89a") && !bytes.starts_with("GIF87a"))) return std::nullopt;
    Reader reader(bytes);
    reader.skip(6);
    GifBlocks gif;
    gif.width = reader.word();
    gif.height = reader.word();
    const std::uint8_t flags = reader.byte();
    reader.skip(2);
    gif.palette = reader.table(flags);
    gif.head = reader.at();
    GifBlocks::Frame frame{.first = reader.at()};
    while (!reader.failed()) {
        const char kind = static_cast<char>(reader.byte());
        if (kind == kTrailer && !reader.failed()) return gif;
        if (kind == kImage) {
            reader.skip(kImageBytes - 2);
            reader.table(reader.byte());
            reader.skip(1);
            reader.skip_blocks();
            frame.end = reader.at();
            gif.frames.push_back(frame);
            frame = {.first = reader.at()};
            continue;
        }
        if (kind != kExtension) return std::nullopt;
        const char label = static_cast<char>(reader.byte());
        if (label == kGraphicControl) frame.delay = reader.at() + 2;  // behind its length and its flags
        reader.skip_blocks();
        if (label != kApplication && label != kComment) continue;
        if (gif.frames.empty() && frame.delay == 0) gif.head = reader.at();
        if (frame.delay == 0) frame.first = reader.at();
    }
    return std::nullopt;
}

std::string join_gifs(std::string_view first, std::size_t kept, std::string_view second, double fps) {
    const std::optional<GifBlocks> before = parse_gif(first), after = parse_gif(second);
    if (!before || !after || before->frames.size() < kept) throw core::InternalError("join_gifs: the parts are no whole GIFs");
    std::string whole(first.substr(0, before->head));
    std::size_t number = 0;
    const auto hundredths = [&](std::size_t frame) { return static_cast<int>(std::lround(100 * static_cast<double>(frame) / fps)); };
    const auto append = [&](std::string_view bytes, const GifBlocks::Frame& frame) {
        append_frame(whole, bytes, frame, hundredths(number + 1) - hundredths(number));
        ++number;
    };
    for (std::size_t i = 0; i < kept; ++i) append(first, before->frames[i]);
    for (const GifBlocks::Frame& frame : after->frames) append(second, frame);
    return whole + kTrailer;
}

}  // namespace mottle::output
