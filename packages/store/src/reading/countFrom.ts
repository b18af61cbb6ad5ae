import type { Reads, SqlInput } from '../port/reads.ts'

/** Counts the rows of `from`: the text after `FROM`, with its condition. */
export async function countFrom(
  reads: Reads,
  from: string,
  parameters: readonly SqlInput[],
): Promise<number> {
  const row = await reads.get<[number]>(`SELECT count(*) FROM ${from}`, ...parameters)
  return row?.[0] ?? 0
}
