import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiTypesFile, renderApiTypes } from './renderApiTypes.ts'

test('the types of the interface are those of its document; else `npm run generate -w client`', async () => {
  expect(readFileSync(apiTypesFile, 'utf8')).toBe(await renderApiTypes())
})
