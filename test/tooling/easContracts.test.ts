import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { easContracts, easContractsFile } from '../../packaging/makeEasContracts.ts'

test('the contracts of EAS that the demo deploys are those of the published package', () => {
  expect(JSON.parse(readFileSync(easContractsFile, 'utf8'))).toEqual(easContracts())
})
