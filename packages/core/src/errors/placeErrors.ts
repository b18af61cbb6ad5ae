import { AttestryError } from './baseError.ts'

/** Files of a folder, URL or bucket cannot be read or written: no such file, no permission, a server that is silent. */
export class PlaceUnavailableError extends AttestryError {
  override readonly code = 'PLACE_UNAVAILABLE'
}

/** A table of a lake cannot be continued: another process writes it, or it is not of this program. */
export class LakeRefusedError extends AttestryError {
  override readonly code = 'LAKE_REFUSED'
}
