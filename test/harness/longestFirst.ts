import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Projects whose files take longest come first; the short files of the last one fill the cores at the end. */
const projects = ['whole', 'postgres', 'browser', 'unit']

/**
 * Orders test files so that all cores are busy to the end: by project, and inside a project as vitest does. Vitest
 * sorts by the duration of the previous run, or by size for a file without one. A suite that
 * several databases share stands in a folder `testing`: the file that runs it is small and takes long.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ project, moduleId }: TestSpecification) =>
      projects.indexOf(project.name) - (readFileSync(moduleId, 'utf8').includes('/testing/') ? 0.5 : 0)
    const ranks = new Map(sorted.map((file) => [file, rank(file)]))
    return sorted.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
  }
}
