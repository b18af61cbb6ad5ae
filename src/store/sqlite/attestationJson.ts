import { attestationJsonSql } from '../layout/attestationJson.ts'

/** Lower-case hexadecimal digits of a column of bytes, in SQL. */
export function hexDigits(column: string): string {
  return `lower(hex(${column}))`
}

export const attestationJson = attestationJsonSql(hexDigits)
