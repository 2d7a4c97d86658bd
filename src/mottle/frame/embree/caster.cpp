// mottle/frame/embree/caster.cpp: a scene of one triangle mesh, and rays through it in packets of 16
#include "mottle/frame/embree/caster.h"

#include "mottle/core/error.h"

#include <embree3/rtcore.h>

#include <algorithm>
#include <string>

namespace mottle::frame::embree {
namespace {

constexpr std::size_t kPacket = 16;

[[noreturn]] void fail(const std::string& what, RTCError error) {
    const bool memory = error == RTC_ERROR_OUT_OF_MEMORY;
    throw core::DeviceError("Embree cannot " + what + ": " +
                            (memory ? "out of memory" : "error " + std::to_string(static_cast<int>(error))) +
                            "; draw fewer outputs, or write .ply, .vtu or .npy files, which need no ray casting");
}

template <class Packet>
void set_rays(std::span<const Ray> rays, Packet& packet, int* valid) {
    for (std::size_t i = 0; i < kPacket; ++i) {
        const Ray& ray = rays[std::min(i, rays.size() - 1)];
        valid[i] = i < rays.size() ? -1 : 0;
        packet.org_x[i] = ray.origin[0];
        packet.org_y[i] = ray.origin[1];
        packet.org_z[i] = ray.origin[2];
        packet.dir_x[i] = ray.direction[0];
        packet.dir_y[i] = ray.direction[1];
        packet.dir_z[i] = ray.direction[2];
        packet.tnear[i] = ray.nearest;
        packet.tfar[i] = ray.farthest;
        packet.time[i] = 0;
        packet.mask[i] = ~0U;
        packet.id[i] = 0;
        packet.flags[i] = 0;
    }
}

class Caster : public RayCaster {
   public:
    explicit Caster(const Triangles& triangles) {
        const std::string config = "threads=" + std::to_string(std::max(triangles.threads, 1));
        device_ = rtcNewDevice(config.c_str());
        if (!device_) fail("start on this machine", rtcGetDeviceError(nullptr));
        scene_ = rtcNewScene(device_);
        rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);  // no ray slips through between two faces
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* points =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3), triangles.points.size());
        void* faces =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(domain::Triangle), triangles.faces.size());
        if (points && faces) {
            std::copy(triangles.points.begin(), triangles.points.end(), static_cast<Vec3*>(points));
            std::copy(triangles.faces.begin(), triangles.faces.end(), static_cast<domain::Triangle*>(faces));
            rtcCommitGeometry(geometry);
            rtcAttachGeometry(scene_, geometry);
            rtcCommitScene(scene_);
        }
        rtcReleaseGeometry(geometry);
        if (const RTCError error = rtcGetDeviceError(device_); error != RTC_ERROR_NONE) {
            release();
            fail("hold a surface of " + std::to_string(triangles.faces.size()) + " faces", error);
        }
    }
    ~Caster() override { release(); }
    Caster(const Caster&) = delete;
    Caster& operator=(const Caster&) = delete;

    void cast(std::span<const Ray> rays, std::span<Hit> hits) const override {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
        alignas(64) int valid[kPacket];
        RTCRayHit16 packet;
        for (std::size_t first = 0; first < rays.size(); first += kPacket) {
            const std::size_t count = std::min(kPacket, rays.size() - first);
            set_rays(rays.subspan(first, count), packet.ray, valid);
            std::fill_n(packet.hit.geomID, kPacket, RTC_INVALID_GEOMETRY_ID);
            std::fill_n(packet.hit.instID[0], kPacket, RTC_INVALID_GEOMETRY_ID);
            rtcIntersect16(valid, scene_, &context, &packet);
            for (std::size_t i = 0; i < count; ++i) {
                const bool hit = packet.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
                hits[first + i] = hit ? Hit{static_cast<std::int32_t>(packet.hit.primID[i]), packet.hit.u[i], packet.hit.v[i]} : Hit{};
            }
        }
    }

    void find_blocked(std::span<const Ray> rays, std::span<std::uint8_t> blocked) const override {
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        alignas(64) int valid[kPacket];
        RTCRay16 packet;
        for (std::size_t first = 0; first < rays.size(); first += kPacket) {
            const std::size_t count = std::min(kPacket, rays.size() - first);
            set_rays(rays.subspan(first, count), packet, valid);
            rtcOccluded16(valid, scene_, &context, &packet);
            for (std::size_t i = 0; i < count; ++i) blocked[first + i] = packet.tfar[i] < 0 ? 1 : 0;
        }
    }

   private:
    void release() {
        if (scene_) rtcReleaseScene(scene_);
        if (device_) rtcReleaseDevice(device_);
        scene_ = nullptr;
        device_ = nullptr;
    }

    RTCDevice device_ = nullptr;
    RTCScene scene_ = nullptr;
};

}  // namespace

std::unique_ptr<RayCaster> open_caster(const Triangles& triangles) { return std::make_unique<Caster>(triangles); }

}  // namespace mottle::frame::embree
