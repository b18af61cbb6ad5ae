# An image of Attestry: `docker build -t attestry .`, for linux/amd64 and linux/arm64
#
#   docker run -p 4000:4000 -v attestry:/data -v ./attestry.yaml:/etc/attestry/attestry.yaml:ro attestry
#
# The program runs as the user 10001 and writes to /data alone: `--read-only --tmpfs /tmp` is fine.

# The package is the same for every platform, so that it is built and installed on the platform of the builder. Only
# Node.js is that of the image.
FROM --platform=$BUILDPLATFORM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY demo/package.json demo/
COPY explorer/package.json explorer/
RUN npm ci
COPY . .
# The package holds the versions of all that it depends on (npm-shrinkwrap.json).
RUN npm run build:package && npm pack --silent ./package \
  && tar -xzf attestry-*.tgz -C /opt && mv /opt/package /opt/attestry && npm ci --prefix /opt/attestry --omit=dev

FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
COPY --from=build /opt/attestry /opt/attestry
RUN groupadd --gid 10001 attestry && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data attestry \
  && install --directory --owner 10001 --group 10001 --mode 0700 /data
USER 10001:10001
WORKDIR /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=4000 NODE_ENV=production
# See "Settings of the runtime" in docs/configure.md.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=1048576 NODE_OPTIONS=--v8-pool-size=1
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/attestry/dist/attestry/src/attestry.js"]
CMD ["start", "--config", "/etc/attestry/attestry.yaml"]
