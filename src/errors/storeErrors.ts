import { AttestryError } from './baseError.ts'

/** The database cannot be opened, reached or written: wrong path, no permission, disk full, server away. */
export class StoreUnavailableError extends AttestryError {
  override readonly code = 'STORE_UNAVAILABLE'
}

/** The database holds something that this version cannot have written, or was made by a newer version. */
export class StoreIncompatibleError extends AttestryError {
  override readonly code = 'STORE_INCOMPATIBLE'
}

/** A batch of blocks contradicts what is stored: a gap, a second event at one position, a checkpoint that moved. */
export class StoreInvariantError extends AttestryError {
  override readonly code = 'STORE_INVARIANT'
}

/** A read would have to pass over more rows than the reader's budget allows; a narrower filter answers. */
export class StoreTooMuchWorkError extends AttestryError {
  override readonly code = 'STORE_TOO_MUCH_WORK'
}

/** A file that was to be imported is cut, damaged, or no export that this version reads. Nothing of it was stored. */
export class ExportDamagedError extends AttestryError {
  override readonly code = 'STORE_EXPORT_DAMAGED'
}

/** An import was to go into a database that holds something already, or that another process has open. */
export class StoreNotEmptyError extends AttestryError {
  override readonly code = 'STORE_NOT_EMPTY'
}

/** A verification found differences, or could not compare a chain: the index was not found to be right. */
export class IndexDiffersError extends AttestryError {
  override readonly code = 'INDEX_DIFFERS'
}
