"""What pyproject.toml cannot say: models/ and topics/ stand at the top of the repository and inside the package."""

from setuptools import find_namespace_packages, setup

DATA = {"crawler.models": "models", "crawler.topics": "topics"}

OURS = ["crawler", "crawler.*", "zhuti", "zhuti.*"]

setup(packages=[*find_namespace_packages(include=OURS), *DATA], package_dir=DATA)
