"""Inner states in Redis, sealed with the user's key: any worker that shares the keys can continue any session.

::

    innervoice:{<row key>}:session:<session>   hash     version, saved_at, writer, and every version under its number
    innervoice:{<row key>}:sessions            zset     session -> saved_at

The version is compared and the state written by one script in the server. The braces keep a user's keys in one slot.
How much a crash of the server itself may cost is the server's setting (``appendonly``, ``appendfsync``).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory.errors import UserError
from memory.inner_state import InnerState
from memory.privacy import KeyMissingError, KeyRing
from memory.sessions.base import SessionWriteError, StaleVersion, check_order, state_context

# Longest wait to connect, and for an answer, seconds. A lost connection is made anew once.
_TIMEOUT_S = 2.0
# How often, and at which interval (seconds), the server is asked whether its files have been written anew.
_REWRITE_ASKS = 500
_REWRITE_PAUSE_S = 0.02

# KEYS: session, sessions. ARGV: expected version, version, saved_at, lifetime in ms, session id, writer, and then every
# version with its sealed bytes.
# A writer whose answer was lost asks again: what it wrote itself counts as written now.
_SAVE = """
local stored = redis.call('HGET', KEYS[1], 'version')
if stored == ARGV[2] and redis.call('HGET', KEYS[1], 'writer') == ARGV[6] then return stored end
if (stored or '0') ~= ARGV[1] then return redis.error_reply('STALE ' .. (stored or '0')) end
if stored == ARGV[2] then return stored end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'saved_at', ARGV[3], 'writer', ARGV[6])
for at = 7, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[5])
for _, key in ipairs(KEYS) do
  if ARGV[4] == '0' then redis.call('PERSIST', key) else redis.call('PEXPIRE', key, ARGV[4]) end
end
return ARGV[2]
"""
_LOAD = """
local version = redis.call('HGET', KEYS[1], 'version')
return version and {version, redis.call('HGET', KEYS[1], version), redis.call('HGET', KEYS[1], 'saved_at')}
"""
# ARGV: what stands before a session's id. Sessions that have expired leave the list.
_SESSIONS = """
local alive = {}
for _, session in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if redis.call('EXISTS', ARGV[1] .. session) == 1 then
    table.insert(alive, session)
  else
    redis.call('ZREM', KEYS[1], session)
  end
end
return alive
"""


class RedisSessionStore:
    """Keeps the contract of ``SessionStore``; every saved version stays readable until the session expires.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://`` with password and database as redis-py reads them.
        keys: The users' keys; workers that continue each other's sessions share them.
        clock: Seconds since the epoch.
        expire_s: A session is deleted this long after its last change, seconds; 0 for never.

    Raises:
        UserError: The address is wrong, nobody answers there, or the password is refused. No line shows a password.
    """

    def __init__(self, url: str, keys: KeyRing, clock: Callable[[], float], expire_s: float = 0.0) -> None:
        self._keys = keys
        self._clock = clock
        self._lifetime_ms = max(1, round(expire_s * 1000)) if expire_s else 0
        # Writes whose answer never came: they may have been done, and are asked for again under the same name.
        self._unanswered: dict[tuple[str, int, str], str] = {}
        self._shown = shown_address(url)
        try:
            self._client: Any = redis.Redis.from_url(
                url,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
                health_check_interval=30,
                retry=Retry(NoBackoff(), 1),
                protocol=2,
            )
        except ValueError as error:
            raise UserError(f"session.store: {self._shown}: {error}") from None
        self._save = self._client.register_script(_SAVE)
        self._load = self._client.register_script(_LOAD)
        self._sessions = self._client.register_script(_SESSIONS)
        try:
            with self._explained(UserError):
                self._client.ping()
        except UserError:
            self._client.close()
            raise

    def load(self, user_id: str, session_id: str) -> tuple[InnerState, int] | None:
        """See ``SessionStore.load``."""
        found = self._newest(user_id, session_id)
        return None if found is None else (found[0], found[0].version)

    def save(
        self, user_id: str, session_id: str, state: InnerState, version: int, between: Sequence[InnerState] = ()
    ) -> int:
        """See ``SessionStore.save``."""
        states = (*between, state)
        check_order(version, states)
        user = self._keys.row_key(user_id)
        session = _session_key(user, session_id)
        with self._explained(SessionWriteError):
            stored = self._client.hget(session, "version")
        try:
            sealer = self._keys.sealer(user_id, create=stored is None and version == 0)
        except KeyMissingError:
            if stored is None:
                raise StaleVersion(0) from None
            raise
        write = (session, state.version, sealer.digest(state.to_json().encode()))
        writer = self._unanswered.get(write) or uuid.uuid4().hex
        arguments: list[Any] = [version, state.version, self._clock(), self._lifetime_ms, session_id, writer]
        for each in states:
            sealed = sealer.seal(each.to_json().encode(), state_context(session_id, each.version))
            arguments += [each.version, sealed]
        with self._explained(SessionWriteError):
            try:
                self._save(keys=[session, _index_key(user)], args=arguments)
                self._unanswered.pop(write, None)
            except (redis.ConnectionError, redis.TimeoutError):
                self._unanswered[write] = writer
                raise
            except redis.ResponseError as error:
                self._unanswered.pop(write, None)
                if not str(error).startswith("STALE "):
                    raise
                current = int(str(error).split()[1])
                # The key is still there, so nobody asked for the session to be forgotten: the server lost it.
                raise StaleVersion(current, lost=current == 0) from None
        return state.version

    def versions(self, user_id: str, session_id: str) -> list[InnerState]:
        """See ``SessionStore.versions``."""
        with self._explained(UserError):
            fields = self._client.hgetall(_session_key(self._keys.row_key(user_id), session_id))
        numbers = sorted(int(name) for name in fields if name.isdigit())
        return [self._open(user_id, session_id, number, fields[str(number).encode()]) for number in numbers]

    def sessions(self, user_id: str) -> list[str]:
        """See ``SessionStore.sessions``; those saved at the same moment come in the order of their ids."""
        user = self._keys.row_key(user_id)
        with self._explained(UserError):
            alive = self._sessions(keys=[_index_key(user)], args=[_session_key(user, "")])
        return [session.decode() for session in alive]

    def latest(self, user_id: str) -> tuple[str, InnerState, float] | None:
        """See ``SessionStore.latest``."""
        for session_id in reversed(self.sessions(user_id)):
            found = self._newest(user_id, session_id)
            if found is not None:
                return session_id, *found
        return None

    def forget(self, user_id: str) -> None:
        """See ``SessionStore.forget``. The server's files are written anew where it keeps some and allows it."""
        user = self._keys.row_key(user_id)
        with self._explained(SessionWriteError):
            # Whatever is there, also what the list of sessions has lost.
            doomed = list(self._client.scan_iter(match=f"innervoice:{{{user}}}:*", count=1000))
            if doomed:
                self._client.delete(*doomed)
                self._rewrite_files()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _newest(self, user_id: str, session_id: str) -> tuple[InnerState, float] | None:
        with self._explained(UserError):
            found = self._load(keys=[_session_key(self._keys.row_key(user_id), session_id)])
        if not found:
            return None
        version, sealed, saved_at = found
        return self._open(user_id, session_id, int(version), sealed), float(saved_at)

    def _open(self, user_id: str, session_id: str, version: int, sealed: bytes) -> InnerState:
        plain = self._keys.sealer(user_id, create=False).open(sealed, state_context(session_id, version))
        return InnerState.from_json(plain)

    def _rewrite_files(self) -> None:
        """Let snapshot and log be written without what was deleted. Without the key its bytes say nothing anyway."""
        # A hosted server does not let its users do this.
        with suppress(redis.ResponseError):
            if self._client.info("persistence").get("aof_enabled"):
                self._client.bgrewriteaof()
            if self._client.config_get("save").get("save"):
                self._client.bgsave(schedule=True)
            for _ in range(_REWRITE_ASKS):
                state = self._client.info("persistence")
                names = ("rdb_bgsave_in_progress", "aof_rewrite_in_progress", "aof_rewrite_scheduled")
                if not any(state.get(name) for name in names):
                    return
                time.sleep(_REWRITE_PAUSE_S)

    @contextmanager
    def _explained(self, kind: type[UserError]) -> Iterator[None]:
        try:
            yield
        except redis.RedisError as error:
            raise kind(f"session.store: {self._shown}: {_meaning(error)}") from None


def shown_address(url: str) -> str:
    """The address without user, password and options."""
    parts = urlsplit(url)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def _session_key(user: str, session_id: str) -> str:
    return f"innervoice:{{{user}}}:session:{session_id}"


def _index_key(user: str) -> str:
    return f"innervoice:{{{user}}}:sessions"


def _meaning(error: redis.RedisError) -> str:
    if isinstance(error, redis.AuthenticationError):
        return "refuses the password; check the address (redis://:password@host:port/db)"
    if isinstance(error, redis.TimeoutError):
        return f"keeps silent for {_TIMEOUT_S:g} s; check that it is a Redis server, and its load"
    if isinstance(error, redis.BusyLoadingError):
        return "it is still loading its data; try again in a moment"
    if isinstance(error, redis.ConnectionError):
        return "cannot be reached; check that it runs, or keep states in a file with session.store=sqlite"
    if isinstance(error, redis.ReadOnlyError):
        return "is a replica and cannot be written; name the primary"
    if isinstance(error, redis.OutOfMemoryError):
        return "is out of memory; give it more"
    return f"reports an error: {' '.join(str(error).split())[:120]}"
