/** Where chunks and their manifest are kept. Paths have segments of lower-case letters, digits, dots and dashes. */
export interface ChunkPlace {
  /** The name of the place in messages; holds no secret. */
  readonly name: string
  /**
   * The bytes of a file; null where there is none.
   * @throws ChunksUnavailableError where the place does not give them, or more than `bytesMax` of them.
   */
  read(path: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | null>
}

/** A place that can be written to. */
export interface WritablePlace extends ChunkPlace {
  /** Writes a file that appears whole or not at all, in the place of one of the same path. */
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>
  /** The bytes of a file; null where there is none. */
  measure(path: string, signal: AbortSignal): Promise<number | null>
  /** Deletes a file, if there is one. */
  remove(path: string, signal: AbortSignal): Promise<void>
}
