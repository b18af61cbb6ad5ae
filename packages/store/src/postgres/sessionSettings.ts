/** Settings of the server by their names. */
export type Settings = Readonly<Record<string, string | number>>

/**
 * Settings of every session, whatever the role, the database or the server has for its sessions. Answers, commits or
 * plans depend on each of them (docs/adr/0049). Deliberately left to the operator: sizes of memory, costs of the planner, tablespaces, logging.
 */
export const sessionDefaults: Settings = {
  // Limits; callers set limits of their own.
  lock_timeout: 0,
  transaction_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  // The server ends the session of a client that vanished within two minutes. Until then a transaction of it keeps old
  // rows and locks; by the default of most systems for two hours. A socket of the same machine ignores these.
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 6,
  exit_on_error: 'off',
  // Forms of values.
  client_encoding: 'UTF8',
  bytea_output: 'hex',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: 1,
  xmlbinary: 'base64',
  xmloption: 'content',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  // Readings of statements.
  standard_conforming_strings: 'on',
  backslash_quote: 'safe_encoding',
  transform_null_equals: 'off',
  restrict_nonsystem_relation_kind: '',
  // A policy of rows makes a statement fail rather than hide rows from it.
  row_security: 'off',
  // By default a search of a GIN index finds all rows rather than a random part of them.
  gin_fuzzy_search_limit: 0,
  // Damaged pages make a statement fail rather than count as empty. Only superusers may change these.
  zero_damaged_pages: 'off',
  ignore_checksum_failure: 'off',
  session_replication_role: 'origin',
  // Transactions.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  // Plans.
  plan_cache_mode: 'auto',
  jit: 'off',
  debug_parallel_query: 'off',
  cursor_tuple_fraction: 0.1,
  from_collapse_limit: 8,
  join_collapse_limit: 8,
  ...Object.fromEntries(
    [
      'bitmapscan',
      'gathermerge',
      'hashagg',
      'hashjoin',
      'incremental_sort',
      'indexonlyscan',
      'indexscan',
      'material',
      'memoize',
      'mergejoin',
      'nestloop',
      'seqscan',
      'sort',
      'tidscan',
    ].map((name) => [`enable_${name}`, 'on']),
  ),
}

/**
 * The statements that give a session these settings beside `sessionDefaults`, or with `isLocal` the running
 * transaction. A setting that the server does not know is passed over; so is one that it has already, since some need
 * rights to be changed.
 */
export function settingStatements(settings: Settings, isLocal: boolean): string[] {
  const values = Object.entries({ ...sessionDefaults, ...settings }).map(
    ([name, value]) => `('${name}', '${value}')`,
  )
  return [
    // First, since it may end the next statement.
    `SET ${isLocal ? 'LOCAL ' : ''}statement_timeout = 0`,
    `SELECT count(set_config(name, value, ${isLocal})) FROM (VALUES ${values.join(', ')}) AS s (name, value) ` +
      'WHERE current_setting(name, true) <> value',
    // Commits reach the disk of this server at least.
    `SELECT set_config('synchronous_commit', 'on', ${isLocal}) ` +
      "WHERE current_setting('synchronous_commit', true) = 'off'",
    // The operator chooses the schema. The one that has an index comes first: a role may be named as the schema of the
    // views, which its `search_path` finds as soon as there are views. System tables precede, temporary ones hide none.
    "SELECT set_config('search_path', coalesce(string_agg(name, ', ' ORDER BY " +
      "to_regclass(name || '.attestry_layout') IS NULL, place), 'public'), " +
      `${isLocal}) FROM unnest(current_schemas(false)) WITH ORDINALITY AS s (raw, place), quote_ident(raw) AS name ` +
      "WHERE raw <> 'pg_catalog' AND left(raw, 7) <> 'pg_temp'",
  ]
}
