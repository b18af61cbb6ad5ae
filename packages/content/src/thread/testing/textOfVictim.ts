/** The content of a record of `contentVictim.ts`. */
export function textOfVictim(number: number): string {
  return JSON.stringify({ number, level: number % 2 })
}
