"""Keys of one's own: everything a person said is sealed with a key that only that person's data uses.

A key folder (mode 0700) holds, each with mode 0600::

    ring.key          secret of the folder: user id -> opaque row key
    <row key>.key     one person's 256-bit data key, and their id sealed with it

Destroying a person's key file makes every copy of their data unreadable, backups included. Sealing is
AES-256-GCM with a random 96-bit nonce (NIST SP 800-38D: at most 2**32 seals per key) and the row's identity
as associated data, so that sealed bytes cannot be moved to another row or another person.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from memory.errors import UserError

_SEAL_FORMAT = b"\x01"
_NONCE_BYTES = 12
_TAG_BYTES = 16
_SECRET_BYTES = 32
_RING_MAGIC = b"IVR1"
_USER_MAGIC = b"IVK1"
_CHECK_BYTES = 8
_RING_NAME = "ring.key"
_DOOMED_PREFIX = ".forgotten-"


class SealError(UserError):
    """Sealed bytes were changed, moved to another place, or belong to another key."""


class KeyMissingError(UserError):
    """There is data of a person, and no key to read it with."""


class Sealer:
    """Seals and opens one person's data.

    Args:
        key: 32 random bytes.
    """

    __slots__ = ("_cipher", "_digest_key")

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)
        self._digest_key = hmac.digest(key, b"innervoice digest", "sha256")

    def seal(self, plain: bytes, context: bytes) -> bytes:
        """Encrypt and authenticate.

        Args:
            plain: What to hide.
            context: Where it belongs (table and id). The same bytes are needed to open it.

        Returns:
            Format byte, 12-byte nonce, ciphertext, 16-byte tag.
        """
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _SEAL_FORMAT + nonce + self._cipher.encrypt(nonce, plain, _SEAL_FORMAT + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Decrypt what :meth:`seal` made.

        Raises:
            SealError: Changed bytes, another context, or another person's key.
        """
        start = len(_SEAL_FORMAT) + _NONCE_BYTES
        if len(sealed) < start + _TAG_BYTES or sealed[:1] != _SEAL_FORMAT:
            raise SealError("sealed data is damaged; restore it from a backup, or forget it")
        try:
            return self._cipher.decrypt(sealed[1:start], sealed[start:], _SEAL_FORMAT + context)
        except InvalidTag:
            raise SealError("sealed data does not open with this user's key; restore data and keys together") from None

    def digest(self, plain: bytes) -> str:
        """A keyed hash (HMAC-SHA-256, 128 bits, hex) that finds equal values without showing them."""
        return hmac.digest(self._digest_key, plain, "sha256")[:16].hex()


class KeyRing:
    """The keys of all users of one data folder. Nothing is cached, so a destroyed key is gone in every process.

    Args:
        folder: Where key files lie; made with mode 0700 on first use.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sealer(self, user_id: str, create: bool = True) -> Sealer:
        """The sealer of one user; the first call makes the key. Safe in parallel threads and processes.

        Args:
            user_id: Whose data it is.
            create: Whether a missing key is made.

        Raises:
            KeyMissingError: The key is missing and ``create`` is False.
            UserError: The key file cannot be read, made, or is damaged.
        """
        row_key = self.row_key(user_id)
        path = self._folder / f"{row_key}.key"
        content = _read(path)
        if content is None:
            if not create:
                raise KeyMissingError(f"{path}: the key for stored data is missing; restore it from a backup")
            key = secrets.token_bytes(_SECRET_BYTES)
            sealed_id = Sealer(key).seal(_encode(user_id), row_key.encode())
            content = _create(path, _USER_MAGIC + key + sealed_id)
        key, owner = _parse_user_key(path, content)
        if owner != user_id:
            raise UserError(f"{path}: key file of another user; restore the folder from a backup")
        return Sealer(key)

    def row_key(self, user_id: str) -> str:
        """What stands for the user in files: 32 hex characters, different in every data folder.

        Raises:
            UserError: ``ring.key`` is missing while there are users, is damaged, or cannot be made.
        """
        return hmac.digest(self._ring_secret(), b"user\0" + _encode(user_id), "sha256")[:16].hex()

    def users(self) -> list[str]:
        """Ids of all users with a key, sorted.

        Raises:
            UserError: A key file cannot be read or is damaged.
        """
        found = []
        for path in self._user_files():
            content = _read(path)
            if content is not None:
                found.append(_parse_user_key(path, content)[1])
        return sorted(found)

    def forget(self, user_id: str) -> None:
        """Destroy the user's key: take it away in one step, overwrite it, unlink it.

        Solid-state disks and snapshots may keep old blocks; encrypt the disk where that matters.

        Raises:
            UserError: The key file cannot be removed.
        """
        path = self._folder / f"{self.row_key(user_id)}.key"
        doomed = self._folder / f"{_DOOMED_PREFIX}{secrets.token_hex(8)}"
        try:
            with contextlib.suppress(FileNotFoundError):
                path.rename(doomed)
            # Also what a crash left between the two steps.
            for left in self._folder.glob(f"{_DOOMED_PREFIX}*"):
                destroy_file(left)
            _sync_folder(self._folder)
        except OSError as error:
            raise UserError(f"{path}: cannot destroy the key: {error.strerror or error}") from None

    def _user_files(self) -> list[Path]:
        return sorted(path for path in self._folder.glob("*.key") if path.name != _RING_NAME)

    def _ring_secret(self) -> bytes:
        path = self._folder / _RING_NAME
        content = _read(path)
        if content is None:
            if self._user_files():
                raise UserError(f"{path}: missing, so nobody's memory can be found; restore it from a backup")
            secret = secrets.token_bytes(_SECRET_BYTES)
            content = _create(path, _RING_MAGIC + secret + hashlib.sha256(secret).digest()[:_CHECK_BYTES])
        secret = content[len(_RING_MAGIC) : len(_RING_MAGIC) + _SECRET_BYTES]
        check = hashlib.sha256(secret).digest()[:_CHECK_BYTES]
        if content != _RING_MAGIC + secret + check:
            raise UserError(f"{path}: damaged key file; restore it from a backup")
        return secret


def destroy_file(path: Path) -> None:
    """Overwrite a file with random bytes and unlink it; a file that is gone already is fine.

    Raises:
        OSError: The file cannot be written or unlinked.
    """
    with contextlib.suppress(FileNotFoundError):
        with path.open("r+b") as file:
            file.write(secrets.token_bytes(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner may enter.

    Raises:
        UserError: It cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot make the folder: {error.strerror or error}") from None


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot read the key file: {error.strerror or error}") from None


def _parse_user_key(path: Path, content: bytes) -> tuple[bytes, str]:
    """Data key and user id; the sealed id doubles as the check of the key."""
    start = len(_USER_MAGIC)
    key = content[start : start + _SECRET_BYTES]
    if content[:start] != _USER_MAGIC or len(key) != _SECRET_BYTES:
        raise UserError(f"{path}: damaged key file; restore it from a backup")
    try:
        name = Sealer(key).open(content[start + _SECRET_BYTES :], path.stem.encode())
    except SealError:
        raise UserError(f"{path}: damaged key file; restore it from a backup") from None
    return key, name.decode("utf-8", "surrogatepass")


def _create(path: Path, content: bytes) -> bytes:
    """Put a whole key file in place, or read the one another process put there first.

    The bytes are written and synced under another name, then linked: nobody sees half a key, and a link
    never replaces a file.
    """
    make_private_folder(path.parent)
    draft = path.parent / f".new-{secrets.token_hex(8)}"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink()
        _sync_folder(path.parent)
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot make the key file: {error.strerror or error}") from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
