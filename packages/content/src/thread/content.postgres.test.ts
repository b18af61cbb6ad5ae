import { createEmptyTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import type { BesideLayout } from '@attestry/store/beside/besideDatabase.ts'
import { openPostgresBeside } from '@attestry/store/beside/openPostgresBeside.ts'
import { describeAgentFiles } from './testing/agentFilesSuite.ts'
import { describeContent } from './testing/contentSuite.ts'

const create = async () => {
  const { url, remove } = await createEmptyTestStore()
  const config = { kind: 'postgres', url } as const
  return { config, open: (layout: BesideLayout) => openPostgresBeside(url, layout), remove }
}

describeContent('PostgreSQL', create, { hasPages: false })
describeAgentFiles('PostgreSQL', create)
