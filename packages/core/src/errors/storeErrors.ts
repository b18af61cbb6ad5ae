import { AttestryError } from './baseError.ts'

/** The database cannot be opened, reached or written: wrong path, no permission, disk full, server away. */
export class StoreUnavailableError extends AttestryError {
  override readonly code = 'STORE_UNAVAILABLE'
}

/** Another process has claimed a chain that this one was writing to. The remaining writes of this process are dropped. */
export class StoreClaimLostError extends AttestryError {
  override readonly code = 'STORE_CLAIM_LOST'
}

/** The database holds data that this version cannot have written, or was made by a newer version. */
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

/** A statement in which one condition takes more looks than it may (`Dialect.refuse`); more looks may answer. */
export class TooManyLooksError extends StoreTooMuchWorkError {}

/** An import file is cut, damaged, or not an export that this version reads. No part of it was stored. */
export class ExportDamagedError extends AttestryError {
  override readonly code = 'STORE_EXPORT_DAMAGED'
}

/** The target of an import is not empty, or another process has it open. */
export class StoreNotEmptyError extends AttestryError {
  override readonly code = 'STORE_NOT_EMPTY'
}

/** A verification found differences, or could not compare a chain. The index is not proven right. */
export class IndexDiffersError extends AttestryError {
  override readonly code = 'INDEX_DIFFERS'
}
