/** A store of published chunks or of the tables of a lake. Paths have segments of letters, digits, dots, dashes and _. */
export interface Place {
  /** The name of the place in messages; holds no secret. */
  readonly name: string
  /**
   * The bytes of a file; null if the file does not exist.
   * @throws PlaceUnavailableError if the place does not give them, or gives more than `bytesMax`.
   */
  read(path: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | null>
}

/** A place that can be written to. */
export interface WritablePlace extends Place {
  /** Writes a file that appears whole or not at all, in the place of one of the same path. */
  write(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>
  /**
   * The same, only if the path has no file. Resolves with false if it has one, unless it has these bytes: a
   * request that was sent twice may have found its own file.
   */
  create(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean>
  /** The number of bytes of a file; null if the file does not exist. */
  measure(path: string, signal: AbortSignal): Promise<number | null>
  /**
   * The names of the files in a folder, in no order; null if the place does not give them. A place of one's own may
   * lack the method.
   */
  list?(folder: string, signal: AbortSignal): Promise<readonly string[] | null>
  /** Deletes a file, if there is one. */
  remove(path: string, signal: AbortSignal): Promise<void>
}
