// The tables and functions of the Postgres store, and the migrations from earlier versions.

/** Where followers are told the key of a session that has new entries. */
export const CHANNEL = "sotto_entries";

/** Quoted, so that any name can be a schema. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The n-th brings a schema from version n to n + 1. `s` is its quoted name. Released ones are never edited. */
const MIGRATIONS: readonly ((s: string) => string)[] = [
  (s) => `
  -- "last" is the number of the session's last entry: who appends holds this row until the commit, so numbers have no gaps.
  CREATE TABLE ${s}.sessions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    name text,
    last integer NOT NULL DEFAULT 0,
    first_at text,
    last_at text
  ) WITH (fillfactor = 50);
  CREATE TABLE ${s}.entries (
    session bigint NOT NULL,
    seq integer NOT NULL,
    at text NOT NULL,
    body text NOT NULL,
    -- The SHA-256 of its place and body.
    sum bytea NOT NULL,
    -- The batch that began with this entry: if its answer is lost, it is found by this.
    batch uuid,
    PRIMARY KEY (session, seq)
  );
  CREATE UNIQUE INDEX entries_batch ON ${s}.entries (batch) WHERE batch IS NOT NULL;
  -- No owner: settled. Times are milliseconds of the database's clock.
  CREATE TABLE ${s}.keys (
    session bigint NOT NULL,
    key text NOT NULL,
    owner text,
    expires_at double precision,
    PRIMARY KEY (session, key)
  );
  CREATE TABLE ${s}.snapshots (
    session text PRIMARY KEY,
    seq integer NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL
  );
  CREATE TABLE ${s}.blobs (
    hash text COLLATE "C" PRIMARY KEY,
    content bytea NOT NULL
  );
  -- Who wants to be told of new entries. A notification takes a lock on the whole cluster, so others are not told.
  CREATE TABLE ${s}.followers (
    session text NOT NULL,
    follower uuid NOT NULL,
    expires_at double precision NOT NULL,
    PRIMARY KEY (session, follower)
  );

  CREATE FUNCTION ${s}.clock() RETURNS double precision LANGUAGE sql VOLATILE AS
  $$ SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 $$;

  -- Appends a batch with its claims. "first" is null if keys are taken; "taken" has their places in claim_keys.
  CREATE FUNCTION ${s}.append(
    session_key text, session_name text, batch_id uuid, is_retry boolean, ats text[], bodies text[],
    claim_keys text[], claim_owner text, lease_ms double precision,
    settle_keys text[], release_keys text[], release_owner text,
    OUT first integer, OUT taken integer[], OUT now double precision
  ) LANGUAGE plpgsql SET lock_timeout = '10s' AS $$
  DECLARE
    id_ bigint;
    last_ integer;
    count_ integer := cardinality(bodies);
  BEGIN
    IF is_retry OR cardinality(claim_keys) > 0 THEN
      SELECT s.id INTO id_ FROM ${s}.sessions s WHERE s.key = session_key FOR NO KEY UPDATE;
    END IF;
    now := ${s}.clock();
    IF is_retry AND count_ > 0 THEN
      SELECT e.seq INTO first FROM ${s}.entries e WHERE e.batch = batch_id;
      IF FOUND THEN RETURN; END IF;
    END IF;
    IF id_ IS NOT NULL AND cardinality(claim_keys) > 0 THEN
      SELECT array_agg(c.place ORDER BY c.place) INTO taken
      FROM unnest(claim_keys) WITH ORDINALITY AS c(key, place)
      JOIN ${s}.keys k ON k.session = id_ AND k.key = c.key
      WHERE k.owner IS NULL OR (k.owner <> claim_owner AND k.expires_at > now);
      IF taken IS NOT NULL THEN RETURN; END IF;
    END IF;
    LOOP
      UPDATE ${s}.sessions s SET last = s.last + count_,
        first_at = coalesce(s.first_at, ats[1]), last_at = coalesce(ats[count_], s.last_at)
      WHERE s.key = session_key RETURNING s.id, s.last INTO id_, last_;
      EXIT WHEN FOUND;
      INSERT INTO ${s}.sessions (key, name) VALUES (session_key, session_name) ON CONFLICT (key) DO NOTHING;
    END LOOP;
    first := last_ - count_ + 1;
    IF count_ > 0 THEN
      INSERT INTO ${s}.entries (session, seq, at, body, sum, batch)
      SELECT id_, first + n.place - 1, n.at, n.body,
        sha256(convert_to(session_key || '#' || (first + n.place - 1) || E'\\n' || n.body, 'UTF8')),
        CASE WHEN n.place = 1 THEN batch_id END
      FROM unnest(ats, bodies) WITH ORDINALITY AS n(at, body, place);
      IF EXISTS (SELECT FROM ${s}.followers f WHERE f.session = session_key AND f.expires_at > now) THEN
        PERFORM pg_notify('${CHANNEL}', session_key);
      END IF;
    END IF;
    IF cardinality(claim_keys) > 0 THEN
      INSERT INTO ${s}.keys SELECT id_, c.key, claim_owner, now + lease_ms FROM unnest(claim_keys) AS c(key)
      ON CONFLICT (session, key) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at;
    END IF;
    IF cardinality(settle_keys) > 0 THEN
      INSERT INTO ${s}.keys SELECT id_, c.key, NULL, NULL FROM unnest(settle_keys) AS c(key)
      ON CONFLICT (session, key) DO UPDATE SET owner = NULL, expires_at = NULL;
    END IF;
    IF cardinality(release_keys) > 0 THEN
      DELETE FROM ${s}.keys k WHERE k.session = id_ AND k.key = ANY (release_keys) AND k.owner = release_owner;
    END IF;
  END $$;

  -- Extends leases that have not ended. Returns how many.
  CREATE FUNCTION ${s}.renew(session_key text, lease_keys text[], lease_owner text, lease_ms double precision)
  RETURNS integer LANGUAGE plpgsql SET lock_timeout = '10s' AS $$
  DECLARE
    id_ bigint;
    now_ double precision;
    count_ integer;
  BEGIN
    SELECT s.id INTO id_ FROM ${s}.sessions s WHERE s.key = session_key FOR NO KEY UPDATE;
    now_ := ${s}.clock();
    UPDATE ${s}.keys k SET expires_at = now_ + lease_ms
    WHERE k.session = id_ AND k.key = ANY (lease_keys) AND k.owner = lease_owner AND k.expires_at > now_;
    GET DIAGNOSTICS count_ = ROW_COUNT;
    RETURN count_;
  END $$;

  -- Removes a session, unless someone uses it: then returns who.
  CREATE FUNCTION ${s}.remove(session_key text, is_forced boolean) RETURNS text[] LANGUAGE plpgsql AS $$
  DECLARE
    id_ bigint;
    owners text[];
  BEGIN
    SELECT s.id INTO id_ FROM ${s}.sessions s WHERE s.key = session_key FOR UPDATE;
    IF NOT is_forced THEN
      SELECT array_agg(DISTINCT k.owner) INTO owners FROM ${s}.keys k
      WHERE k.session = id_ AND k.owner IS NOT NULL AND k.expires_at > ${s}.clock();
      IF owners IS NOT NULL THEN RETURN owners; END IF;
    END IF;
    DELETE FROM ${s}.snapshots p WHERE p.session = session_key;
    DELETE FROM ${s}.entries e WHERE e.session = id_;
    DELETE FROM ${s}.keys k WHERE k.session = id_;
    DELETE FROM ${s}.sessions s WHERE s.id = id_;
    RETURN NULL;
  END $$;
  `,
  (s) => `
  CREATE TABLE ${s}.marks (
    name text COLLATE "C" PRIMARY KEY,
    session bigint NOT NULL,
    value text NOT NULL
  );
  CREATE INDEX marks_session ON ${s}.marks (session);
  -- Whoever may use the keys may use the marks.
  DO $$ DECLARE given record; BEGIN
    FOR given IN SELECT a.* FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = '${s.replaceAll("'", "''")}.keys'::regclass AND a.grantee <> c.relowner LOOP
      EXECUTE format('GRANT %s ON ${s.replaceAll("'", "''").replaceAll("%", "%%")}.marks TO %s', given.privilege_type,
        CASE WHEN given.grantee = 0 THEN 'PUBLIC' ELSE given.grantee::regrole::text END);
    END LOOP;
  END $$;

  -- Sets marks of a session where nothing is set. Returns what is there then. In one order, so that two do not wait for
  -- each other.
  CREATE FUNCTION ${s}.mark(session_key text, mark_names text[], mark_values text[]) RETURNS text[]
  LANGUAGE plpgsql SET lock_timeout = '10s' AS $$
  BEGIN
    INSERT INTO ${s}.marks SELECT n.name, s.id, n.value FROM unnest(mark_names, mark_values) AS n(name, value)
    JOIN ${s}.sessions s ON s.key = session_key ORDER BY n.name COLLATE "C" ON CONFLICT (name) DO NOTHING;
    RETURN ARRAY (SELECT m.value FROM unnest(mark_names) WITH ORDINALITY AS n(name, place)
      JOIN ${s}.marks m ON m.name = n.name ORDER BY n.place);
  END $$;

  -- As before, with its marks.
  CREATE OR REPLACE FUNCTION ${s}.remove(session_key text, is_forced boolean) RETURNS text[] LANGUAGE plpgsql AS $$
  DECLARE
    id_ bigint;
    owners text[];
  BEGIN
    SELECT s.id INTO id_ FROM ${s}.sessions s WHERE s.key = session_key FOR UPDATE;
    IF NOT is_forced THEN
      SELECT array_agg(DISTINCT k.owner) INTO owners FROM ${s}.keys k
      WHERE k.session = id_ AND k.owner IS NOT NULL AND k.expires_at > ${s}.clock();
      IF owners IS NOT NULL THEN RETURN owners; END IF;
    END IF;
    DELETE FROM ${s}.snapshots p WHERE p.session = session_key;
    DELETE FROM ${s}.entries e WHERE e.session = id_;
    DELETE FROM ${s}.keys k WHERE k.session = id_;
    DELETE FROM ${s}.marks m WHERE m.session = id_;
    DELETE FROM ${s}.sessions s WHERE s.id = id_;
    RETURN NULL;
  END $$;
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The statements that bring a schema from a version to the newest, to be run in one transaction. */
export function migration(schema: string, from: number): string[] {
  const s = quoted(schema);
  const versions = `CREATE TABLE ${s}.versions (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`;
  const steps = MIGRATIONS.slice(from).map(
    (step, index) => `${step(s).trim()}\nINSERT INTO ${s}.versions (version) VALUES (${from + index + 1});`,
  );
  return from === 0 ? [`${versions};`, ...steps] : steps;
}
