# The image of boardsync: `docker build -t boardsync:0.1.0 .`
#
# Pin the base to a digest where builds must repeat: --build-arg NODE_IMAGE=node:24-slim@sha256:…
# Nothing of the base is used but Node.js, npm and a shell.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="boardsync" \
      org.opencontainers.image.description="Keeps a feedback board and GitHub Issues in step" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
# The program reads its version from package.json.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --cache /tmp/npm && rm -rf /tmp/npm
COPY --from=build /app/dist ./dist
# What `boardsync help CODE` and `help TOPIC` print.
COPY config/docs ./config/docs
# So that `docker compose exec boardsync boardsync status` is all there is to type.
RUN ln -s /app/dist/main.js /usr/local/bin/boardsync
# The state's folder belongs to the image's user. Others may make files in it, too, so that `--user` works with any number;
# the files themselves are always readable by their owner alone.
RUN mkdir -p /data && chown 1000:1000 /data && chmod 1777 /data
# What a burst of requests has needed is given back (glibc otherwise raises this limit by itself, and keeps 100 MB more).
ENV MALLOC_TRIM_THRESHOLD_=131072
ENV BOARDSYNC_CONFIG=/config/boardsync.yaml \
    BOARDSYNC_STATE=/data/boardsync.db \
    BOARDSYNC_HTTP_HOST=0.0.0.0
VOLUME ["/data"]
EXPOSE 8787
# The user `node` by its number: only so can Kubernetes see that it is not root.
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["node", "/app/dist/main.js", "health"]
# Node.js itself is process 1: signals reach the program.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["daemon"]
