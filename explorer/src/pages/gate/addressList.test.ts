import { expect, test } from 'vitest'
import { readAddressList, readTextFile, writeVerdicts } from './addressList.ts'

const one = `0x${'aB'.repeat(20)}`
const two = `0x${'12'.repeat(20)}`

test('addresses are found in files as people save them', () => {
  const texts = [
    `${one}\n${two}`,
    `\uFEFFaddress;name\r\n"${one}";"Ann; 0x1"\r\n${two};Ben\r\n`,
    `name\taddress\r${'x'}\t${one}\r${'y'}\t${two}\r\r`,
    ` ${one} ,1\n\n${one.toLowerCase()}\n${two}`,
  ]
  for (const text of texts) expect(readAddressList(text).addresses).toEqual([one, two])
  expect(readAddressList(texts[1] ?? '').linesWithout).toBe(1)
})

test('a hash is no address', () => {
  expect(readAddressList(`0x${'ab'.repeat(32)}\nx${one}`)).toEqual({ addresses: [], linesWithout: 2 })
})

test('a file in UTF-16 is read', async () => {
  const bytes = Buffer.from(`\uFEFF${one}\r\n${two}`, 'utf16le')
  expect(readAddressList(await readTextFile(new Blob([bytes]))).addresses).toEqual([one, two])
  expect(await readTextFile(new Blob([Buffer.from(bytes).swap16()]))).toBe(`${one}\r\n${two}`)
})

test('verdicts are quoted, and no cell is a formula', () => {
  const rows = [
    { subject: one, verdict: 'allow', because: ['a', 'b'], reasons: ['It holds "KYC", by 0x1.', 'Yes.'] },
    { subject: two, verdict: 'deny', because: [], reasons: ['=1+1'] },
  ]
  expect(writeVerdicts(rows)).toBe(
    `\uFEFFaddress,verdict,attestations,reasons\r\n${one},allow,a b,"It holds ""KYC"", by 0x1. Yes."\r\n${two},deny,,'=1+1\r\n`,
  )
})
