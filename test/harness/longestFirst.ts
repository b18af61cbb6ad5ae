import { existsSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects whose files take longest come first; the short files of the last one fill the cores at the end. */
const projects = ['whole', 'postgres', 'browser', 'unit']

/**
 * Orders test files so that all cores are busy to the end: by project, and inside a project as vitest does. Vitest
 * sorts by the duration of the previous run, or by size for a file without one. The tests of a file that PostgreSQL has
 * a twin of stand in another file: it is small and takes long.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project, moduleId }: TestSpecification) =>
      projects.indexOf(project.name) -
      (existsSync(moduleId.replace(/\.test\.ts$/, '.postgres.test.ts')) ? 0.5 : 0)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
