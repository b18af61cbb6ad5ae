import { createPostgresDatabase } from '../../../test/harness/postgresDatabase.ts'
import { openPostgresBeside } from '../../store/beside/openPostgresBeside.ts'
import { describeContent } from './testing/contentSuite.ts'

describeContent(
  'PostgreSQL',
  async () => {
    const { url, remove } = await createPostgresDatabase()
    return { open: (layout) => openPostgresBeside(url, layout), remove }
  },
  { hasPages: false },
)
