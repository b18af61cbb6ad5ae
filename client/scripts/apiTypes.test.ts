import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiTypesFile, readApiDocument, stampApiTypes } from './apiTypes.ts'

test('the types of the interface are those of its document; else `npm run generate -w client`', async () => {
  const content = readFileSync(apiTypesFile, 'utf8')
  const types = content.slice(content.indexOf('\n\n') + 2)
  expect(content).toBe(stampApiTypes(await readApiDocument(), types))
})
