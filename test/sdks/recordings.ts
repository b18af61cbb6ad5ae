import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { updatesRecordings, usesSdks } from './installedSdks.ts'

/** Recorded results and requests of SDKs by call, one JSON file for each SDK. */
const files = new Map<string, Record<string, unknown>>()

/**
 * The result of a call to an SDK: the recording, or the value of `make` if the SDKs themselves run.
 * @param file the name of the recording's file.
 * @param call names the call within the file.
 * @throws Error if nothing is recorded, or if the SDK's result differs from the recording.
 */
export async function recorded<Value>(
  file: string,
  call: readonly unknown[],
  make: () => Promise<Value> | Value,
): Promise<Value> {
  const known = readRecordings(file)
  const key = nameCall(call)
  const advice = 'npm run test:sdks -- --update records the SDKs anew'
  if (!usesSdks) {
    if (!Object.hasOwn(known, key)) throw new Error(`${file} has no recording of ${key}; ${advice}`)
    return known[key] as Value
  }
  const made = await make()
  if (updatesRecordings) {
    known[key] = made
    const sorted = Object.fromEntries(Object.entries(known).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    writeFileSync(pathOf(file), `${JSON.stringify(sorted, null, 2)}\n`)
  } else if (!isDeepStrictEqual(known[key], made)) {
    throw new Error(`the SDK no longer makes what ${file} has for ${key}; ${advice}`)
  }
  return made
}

/** A call as one text; bigints are written as texts. */
function nameCall(call: readonly unknown[]): string {
  return JSON.stringify(call, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}

function readRecordings(file: string): Record<string, unknown> {
  const path = pathOf(file)
  // While recordings are made, processes that a test starts add to the file as well.
  const found =
    (updatesRecordings ? undefined : files.get(file)) ??
    (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : {})
  files.set(file, found)
  return found
}

function pathOf(file: string): string {
  return new URL(`recordings/${file}.json`, import.meta.url).pathname
}
