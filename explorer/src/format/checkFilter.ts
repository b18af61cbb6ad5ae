/** The mistake in the text of a filter, in a sentence that says what would be right; undefined for a valid text. */

export function checkAddress(text: string): string | undefined {
  return isAddress(text) ? undefined : 'An address is 0x and 40 hexadecimal digits.'
}

export function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/i.test(text)
}

export function checkRecordId(text: string): string | undefined {
  return /^onchain_evm_\d+_0x[0-9a-f]+$/i.test(text)
    ? undefined
    : 'An id looks like onchain_evm_1_0x2a; the page of a record has it.'
}
