import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { demoContracts } from '@attestry/packaging/makeDemoContracts.ts'
import { usesSdks } from '../sdks/installedSdks.ts'

/** `npm run test:sdks` installs the packages of contracts. */
const checked = demoContracts.filter(({ file }) => usesSdks || basename(file) === 'agents.json')

test.each(checked.map((each) => [basename(each.file), each] as const))(
  'the contracts in %s that the demo deploys are those of the published package, or of the source beside them',
  async (_, { file, make }) => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(await make())
  },
)
