docker build -t tf-work .
docker run --gpus all --shm-size=8g -it --rm -v $PWD:/tf/work tf-work
