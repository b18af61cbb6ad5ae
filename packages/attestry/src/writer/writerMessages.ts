import type { PackedError } from '@attestry/core/errors/packError.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import type { IndexSettings } from '@attestry/host/database.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'

/** The start data of the writer's thread. */
export interface WriterSettings extends Partial<IndexSettings> {
  readonly database: DatabaseConfig
}

/** The first message to the thread: the database has the layout of this version. */
export type OpenMessage = 'open'

/**
 * A call of the writer as a message to its thread. Arguments are sent by structured clone, which takes 2 µs per event
 * in the sender and 3 µs in the receiver. Measured alternatives saved less than their code was worth.
 */
export type WriterCall = {
  readonly [Method in keyof IndexWriter]: {
    readonly id: number
    readonly method: Method
    readonly args: Parameters<IndexWriter[Method]>
  }
}[keyof IndexWriter]

/** The result of a call. */
export type WriterAnswer =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly error: PackedError }

/** A message from the writer's thread. */
export type WriterMessage =
  /** The database is open. Calls are answered in the order in which they settle. */
  | { readonly kind: 'opened' }
  /** The database cannot be opened; the thread ends after this message. */
  | { readonly kind: 'failed'; readonly error: PackedError }
  | WriterAnswer
