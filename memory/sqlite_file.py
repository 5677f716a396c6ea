"""One SQLite file that several threads and processes share: durable commits, readable errors, real erasure."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.errors import UserError
from memory.privacy import make_private_folder

# How long a writer waits for another process, milliseconds.
_BUSY_TIMEOUT_MS = 10_000
# The switch to WAL fails at once, without that wait, while another process opens the file too.
_WAL_ATTEMPTS = 100
_WAL_PAUSE_SECONDS = 0.05

_MEANING = {
    sqlite3.SQLITE_NOTADB: "not a database; move it away, or restore it from a backup",
    sqlite3.SQLITE_CORRUPT: "the database is damaged; restore it from a backup",
    sqlite3.SQLITE_FULL: "no space left on the disk; free some",
    sqlite3.SQLITE_READONLY: "cannot be written; check its permissions",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that it is a file and its folder can be written",
    sqlite3.SQLITE_PERM: "no permission; check who owns it",
    sqlite3.SQLITE_BUSY: "locked by another program; end it, or try again",
    sqlite3.SQLITE_LOCKED: "locked by another program; end it, or try again",
    sqlite3.SQLITE_IOERR: "the disk reports an error; check its free space and its health",
}


class SQLiteFile:
    """A connection with the settings that memory needs. Every method is thread-safe.

    WAL, so that readers and one writer go on side by side; ``secure_delete``, so that deleted bytes are
    overwritten. A commit that returned survives ``kill -9``, and with ``synced`` power loss, too.

    Args:
        path: The file; made with mode 0600, its folder with 0700.
        schema: ``CREATE … IF NOT EXISTS`` statements.
        kind: ``application_id``, tells one kind of file from another.
        version: ``user_version``, the schema's version.
        write_error: Raised by :meth:`transaction` when the file cannot be written.
        synced: Whether every commit waits for the disk, some milliseconds. Without, a power loss may take back the
            last commits, in order; the file stays sound.

    Raises:
        UserError: One line that names the file.
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        kind: int,
        version: int = 1,
        write_error: type[UserError] = UserError,
        synced: bool = True,
    ) -> None:
        self._path = path
        self._write_error = write_error
        self._synced = synced
        self._lock = threading.RLock()
        make_private_folder(path.parent)
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            raise UserError(f"{path}: cannot be opened for writing: {error.strerror or error}") from None
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(
                path, timeout=_BUSY_TIMEOUT_MS / 1000, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            self._prepare(schema, kind, version)
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            raise UserError(_explain(path, error)) from None
        except UserError:
            self._connection.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and alone: the write lock is taken before anything is read.

        Raises:
            UserError: Of the class ``write_error``; nothing was written.
        """
        with self._lock:
            try:
                with self._between("BEGIN IMMEDIATE"):
                    yield self._connection
            except sqlite3.ProgrammingError:
                raise
            except OverflowError:
                raise self._write_error(f"{self._path}: a whole number of more than 64 bits cannot be kept") from None
            except sqlite3.Error as error:
                raise self._write_error(_explain(self._path, error)) from None

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query, as tuples.

        Raises:
            UserError: The file cannot be read.
        """
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.ProgrammingError:
                raise
            except sqlite3.Error as error:
                raise UserError(_explain(self._path, error)) from None

    def erase_traces(self) -> None:
        """Rewrite the file, so that no page and no log keeps what was deleted.

        ``secure_delete`` alone leaves copies that a page split made; ``VACUUM`` writes live rows only,
        and the checkpoint brings the write-ahead log back to zero bytes.

        Raises:
            UserError: The file cannot be written, or another program holds on to the log.
        """
        with self._lock:
            try:
                self._connection.execute("VACUUM")
                busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                raise self._write_error(_explain(self._path, error)) from None
        if busy:
            raise self._write_error(
                f"{self._path}-wal: deleted, but another program still reads the log; end it and forget again"
            )

    def close(self) -> None:
        """Close the file; safe to call twice."""
        with self._lock:
            self._connection.close()

    def _prepare(self, schema: str, kind: int, version: int) -> None:
        run = self._connection.execute
        run(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        # Looked at before anything is changed: it may be somebody else's file.
        with self._between("BEGIN"):
            (empty,) = run("SELECT count(*) = 0 FROM sqlite_master").fetchone()
            (found_kind,) = run("PRAGMA application_id").fetchone()
            (found_version,) = run("PRAGMA user_version").fetchone()
        if not empty and found_kind != kind:
            raise UserError(f"{self._path}: a database of another kind; move it away")
        if found_version > version:
            raise UserError(f"{self._path}: written by a newer version of this program; update it")
        self._switch_to_wal()
        run(f"PRAGMA synchronous = {'FULL' if self._synced else 'NORMAL'}")
        run("PRAGMA secure_delete = ON")
        with self._between("BEGIN IMMEDIATE"):
            for statement in schema.split(";"):
                run(statement)
            run(f"PRAGMA application_id = {kind}")
            run(f"PRAGMA user_version = {version}")

    @contextmanager
    def _between(self, begin: str) -> Iterator[None]:
        """From ``begin`` to COMMIT, or ROLLBACK when anything goes wrong."""
        self._connection.execute(begin)
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _switch_to_wal(self) -> None:
        for attempt in range(_WAL_ATTEMPTS):
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if _primary_code(error) != sqlite3.SQLITE_BUSY or attempt == _WAL_ATTEMPTS - 1:
                    raise
            time.sleep(_WAL_PAUSE_SECONDS)


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _explain(path: Path, error: sqlite3.Error) -> str:
    return f"{path}: {_MEANING.get(_primary_code(error), str(error))}"
