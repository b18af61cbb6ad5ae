import { attestationJsonSql } from '../layout/attestationJson.ts'

/** Lower-case hexadecimal digits of a column of bytes, in SQL. */
export function hexDigits(column: string): string {
  return `encode(${column}, 'hex')`
}

export const attestationJson = attestationJsonSql(hexDigits)
