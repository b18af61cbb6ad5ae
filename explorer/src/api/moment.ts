import { readMoment } from '../format/moment.ts'

/** The pages that show records and lists as of a moment, if their address names one. */
const pages = /^\/(?:attestations$|schemas$|attestation\/|schema\/|address\/)/

export function showsMoments(pathname: string): boolean {
  return pages.test(pathname)
}

/** A parameter of the interface; absent for the present. */
export interface Moment {
  readonly asOf?: string
}

/**
 * The moment that the address of the page names, as a parameter of the interface: what is read for the page is read as
 * of this moment. Empty for the present.
 */
export function momentOfPage(): Moment {
  const { pathname, search } = window.location
  const asOf = showsMoments(pathname) ? readMoment(new URLSearchParams(search).get('asOf') ?? '') : null
  return asOf === null ? {} : { asOf }
}
