import { join } from 'node:path'
import { describePublishing } from './describePublishing.ts'

describePublishing('an index in SQLite', (folder, file) =>
  Promise.resolve(`sqlite:${join(folder, `${file}.db`)}`),
)
