import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Job {
  readonly 'timeout-minutes'?: number
  readonly strategy?: { readonly matrix: { readonly suite?: readonly string[] } }
  readonly steps: readonly Step[]
}
interface Workflow {
  readonly permissions?: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.github/workflows')
const workflows = readdirSync(folder).map((name) => ({
  name,
  workflow: parse(readFileSync(join(folder, name), 'utf8')) as Workflow,
}))
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([job, { steps, ...rest }]) => ({
    place: `${name}, ${job}`,
    steps,
    rest,
  })),
)

/** The missing script or file that a line of a workflow runs; null if the repository has everything. */
function problemOf(line: string): string | null {
  const [command = '', ...words] = line.split(/\s+/)
  if (command.startsWith('.')) return existsSync(join(root, command)) ? null : `there is no ${command}`
  if (command !== 'npm') return `${command} is neither npm nor a file of the repository`
  const at = words.indexOf('-w')
  const workspace = at === -1 ? '' : (words[at + 1] ?? '')
  const manifest = join(root, workspace, 'package.json')
  if (!existsSync(manifest)) return `there is no workspace ${workspace}`
  if (words[0] !== 'run')
    return ['ci', 'audit', 'publish'].includes(words[0] ?? '') ? null : `unknown: ${line}`
  const { scripts = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts?: Record<string, string> }
  return (words[1] ?? '') in scripts ? null : `there is no script ${words[1]}`
}

/** The lines that workflows run, one for each suite of a job's matrix. */
const lines = jobs.flatMap(({ steps, rest }) =>
  steps
    .flatMap(({ run }) => run?.trim().split('\n') ?? [])
    .flatMap((line) =>
      line.includes('${{ matrix.suite }}')
        ? (rest.strategy?.matrix.suite ?? []).map((suite) => line.replace('${{ matrix.suite }}', suite))
        : [line],
    ),
)

test('workflows run only scripts that exist', () => {
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.flatMap((line) => problemOf(line) ?? [])).toEqual([])
  expect(problemOf('npm run no-such-script')).toBe('there is no script no-such-script')
})

test('each suite of package.json is run by a workflow', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const suites = Object.keys(scripts).filter((name) => name.startsWith('test:'))
  expect(suites.length).toBeGreaterThan(8)
  expect(suites.filter((name) => !lines.some((line) => line.split(' ')[2] === name))).toEqual([])
})

test('a job has an end, its actions are pinned by digest, and a workflow has few rights', () => {
  for (const { name, workflow } of workflows) {
    expect([name, workflow.permissions]).toEqual([name, { contents: 'read' }])
  }
  for (const { place, steps, rest } of jobs) {
    expect([place, typeof rest['timeout-minutes']]).toEqual([place, 'number'])
    for (const uses of steps.flatMap((step) => step.uses ?? [])) {
      expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/)
    }
  }
})

test('tests run on the oldest and the newest Node.js that are supported', () => {
  const text = readFileSync(join(folder, 'test.yml'), 'utf8')
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const [oldest] = /\d+/.exec(engines.node) ?? []
  expect(text).toContain(`node: [${oldest}, 26]`)
})
