import sys

from drs_client import Drs, UploadProgress


def show(progress: UploadProgress) -> None:
    print(f"{progress.sent_bytes} of {progress.total_bytes} bytes", file=sys.stderr)


path = sys.argv[1]
# After Ctrl-C or a crash the same command resumes the upload.
job = Drs().upload(path, progress=show, resume_file=f"{path}.upload.json")
print(job.dataset_id, job.wait().status)
