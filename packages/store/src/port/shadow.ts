import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { TableSpec } from '../layout/tables.ts'
import type { Reads } from './reads.ts'
import type { Tables } from './tables.ts'

/**
 * The tables of an index twice on one connection, in a transaction: the stored tables, and beside them a shadow, empty
 * tables of the same layout and names. Plain names in statements are those of the shadow, so that the writer's own code
 * fills it.
 */
export interface ShadowSession {
  readonly tables: Tables
  /** Another connection that sees the same state of the stored tables, by their plain names. */
  readonly source: Reads
  /** The schemas (namespaces) of the stored tables and of the shadow, as they stand in statements of `tables`. */
  readonly stored: string
  readonly shadow: string
  /** The tables as the database lays them out. A table without a key may hold a row several times. */
  readonly layout: Readonly<Record<string, TableSpec>>
  /**
   * To be called when the events are loaded: makes the indexes that the build reads, and gets the planner ready for
   * statements over whole tables.
   */
  prepareBuild(): Promise<void>
  /** Compares what the database keeps of the shadow's rows outside these tables: a full-text index. */
  compareBesides(): AsyncIterable<Difference>
  /** Makes that anew from the stored tables. */
  rebuildBesides(): Promise<void>
}

/** One state of a database, for as long as an audit takes. Rejects with the errors of the database's own client. */
export interface AuditSnapshot {
  readonly reads: Reads
  /** Finds the damage that the database itself reports in its files. */
  findDamage(): AsyncIterable<Difference>
  /** Makes a shadow beside the stored tables of this state. */
  openShadow(): Promise<ShadowSession>
  close(): Promise<void>
}

/** Opens the state of a database as it is now, and translates the errors of its client into ours. */
export interface AuditedDatabase {
  openSnapshot(): Promise<AuditSnapshot>
  translateError(error: unknown): unknown
}

/**
 * Runs work on a database that is mended, in one transaction that nobody else writes beside. Rejects with our errors.
 */
export type Mend = (work: (session: ShadowSession) => Promise<void>) => Promise<void>
