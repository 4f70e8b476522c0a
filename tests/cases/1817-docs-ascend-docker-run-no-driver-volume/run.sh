docker run -it --rm --name mindie \
  --device /dev/davinci0 --device /dev/davinci_manager \
  --device /dev/devmm_svm --device /dev/hisi_hdc \
  -v /data:/data swr.mirror.example/mindie:2.0 bash
