import type { PackedError } from '../../errors/packError.ts'
import type { IndexWriter } from '../../store/indexWriter.ts'

/**
 * A call of the writer, as it is sent to its thread. Arguments go by structured clone, events of a batch as they are: that takes 2 µs
 * an event here and 3 µs there, which no other form that was tried undercuts by more than the code for it is worth.
 */
export type WriterCall = {
  readonly [Method in keyof IndexWriter]: {
    readonly id: number
    readonly method: Method
    readonly args: Parameters<IndexWriter[Method]>
  }
}[keyof IndexWriter]

/** What came of a call. */
export type WriterAnswer =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly error: PackedError }

/** What the writer's thread tells. */
export type WriterMessage =
  /** The database is open: calls are answered from now on, in whatever order they come to their end. */
  | { readonly kind: 'opened' }
  /** The database cannot be opened; the thread ends after this. */
  | { readonly kind: 'failed'; readonly error: PackedError }
  | WriterAnswer
