# Dockerfile: Mottle on Debian 12; `docker run --rm -v "$PWD:/data" mottle run gray-scott --preset coral -o coral.mp4`
FROM debian:12-slim AS build
WORKDIR /mottle
COPY packages.txt dev ./
RUN ./dev setup
COPY . .
RUN ./dev build && cmake --install build/release --prefix /opt/mottle --strip

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libavcodec59 libavformat59 libavutil57 libswscale6 libpng16-16 libembree3-3 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/mottle /opt/mottle
ENV PATH=/opt/mottle/bin:$PATH
WORKDIR /data
ENTRYPOINT ["mottle"]
CMD ["--help"]
