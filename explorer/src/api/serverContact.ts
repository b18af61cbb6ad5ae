/**
 * The last answer of the server about its chains. The state of a chain is known as of this answer, so that nothing on a
 * page counts as fresh long after it.
 */
interface Contact {
  /** When it came, by the clock of the machine and by the one that nobody sets, in milliseconds. */
  readonly wallMs: number
  readonly steadyMs: number
  /** Its age on arrival: a shared cache may have kept it. */
  readonly ageSeconds: number
  /** The time of the server, in Unix seconds. */
  readonly at: number
}

let contact: Contact | null = null
const listeners = new Set<() => void>()
/** The clock of the server minus that of this machine, in milliseconds. */
let offsetMs = 0

/** A smaller difference of the clocks is the time that an answer takes, and the fraction that `Date` leaves out. */
const offsetMinMs = 5_000

/** Notes an answer, and by its `Date` the difference of the clocks. */
export function noteAnswer(headers: Headers): void {
  const ageSeconds = Number(headers.get('age') ?? 0) || 0
  const dateMs = Date.parse(headers.get('date') ?? '')
  const wallMs = Date.now()
  if (!Number.isNaN(dateMs)) {
    const differenceMs = dateMs + ageSeconds * 1000 - wallMs
    offsetMs = Math.abs(differenceMs) < offsetMinMs ? 0 : differenceMs
  }
  contact = { wallMs, steadyMs: performance.now(), ageSeconds, at: serverSeconds() - ageSeconds }
  for (const each of listeners) each()
}

/**
 * Seconds since the server answered; 0 before its first answer. Either clock may be wrong: that of the machine is set
 * and jumps, the steady one stands still while the machine sleeps. The larger difference counts.
 */
export function answerAgeSeconds(): number {
  if (contact === null) return 0
  const { wallMs, steadyMs, ageSeconds } = contact
  const elapsedMs = Math.max(0, Date.now() - wallMs, performance.now() - steadyMs)
  return ageSeconds + Math.floor(elapsedMs / 1000)
}

/** The time of the server at its last answer, in Unix seconds; null before the first one. */
export function answeredAtSeconds(): number | null {
  return contact?.at ?? null
}

/**
 * A time of the reader's machine (Unix milliseconds; the present by default) by the clock of the server, in Unix
 * seconds: that of the machine may be hours wrong.
 */
export function serverSeconds(atMs = Date.now()): number {
  return Math.floor((atMs + offsetMs) / 1000)
}

/** Calls back after each answer until the returned function is called. */
export function onAnswer(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
