# An image of dlsetup itself.
#
#     docker build -t dlsetup .
#     docker run --rm dlsetup resolve torch jax --target 'os=linux,arch=x86_64,driver=535.129.03,gpu="A100"'
#     docker run --rm --gpus all dlsetup doctor
ARG BASE=python:3.12-slim

FROM ${BASE} AS build
WORKDIR /source
COPY pyproject.toml README.md ./
COPY profiles ./profiles
COPY dlsetup ./dlsetup
# The environment is made where it will stand: its scripts hold their own path.
RUN python3 -m venv /opt/dlsetup \
 && /opt/dlsetup/bin/pip install --no-cache-dir --disable-pip-version-check . \
 && /opt/dlsetup/bin/pip uninstall --yes --disable-pip-version-check pip

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="dlsetup" \
      org.opencontainers.image.description="Gets a deep-learning environment right, on any machine, and says why." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 1000 --create-home --shell /usr/sbin/nologin dlsetup
COPY --from=build /opt/dlsetup /opt/dlsetup
ENV PATH=/opt/dlsetup/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    LANG=C.UTF-8
USER dlsetup
WORKDIR /home/dlsetup
HEALTHCHECK --interval=60s --timeout=10s CMD ["dlsetup", "--version"]
ENTRYPOINT ["dlsetup"]
CMD ["doctor"]
