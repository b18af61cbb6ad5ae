import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiTypesFile, readApiDocument, stampApiTypes } from './apiTypes.ts'

/**
 * `npm run generate -w client`: writes the types of the OpenAPI document, provided that the document passes the
 * recommended rules of redocly without an error or a warning. Both tools are installed only beside this file, since
 * they take 60 MB. After a change of the document, the stamp in the types makes `npm test` fail until this script runs.
 */

interface Problem {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer?: string }[]
}

// redocly finds no configuration in this folder.
const folder = mkdtempSync(join(tmpdir(), 'attestry-openapi-'))
try {
  const document = await readApiDocument()
  writeFileSync(join(folder, 'openapi.json'), document)
  assertWithoutProblems()
  const types = runTool('openapi-typescript/bin/cli.js', ['openapi.json', '--alphabetize'])
  writeFileSync(apiTypesFile, stampApiTypes(document, types))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function assertWithoutProblems(): void {
  const rules = ['--extends', 'recommended']
  const report = runTool('@redocly/cli/bin/cli.js', ['lint', 'openapi.json', ...rules, '--format', 'json'])
  const { problems } = JSON.parse(report) as { readonly problems: readonly Problem[] }
  if (problems.length === 0) return
  const lines = problems.map(
    ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
  )
  throw new Error(['redocly has found:', ...lines].join('\n'))
}

/** The standard output of a tool. Neither tool contacts another host. */
function runTool(script: string, parameters: readonly string[]): string {
  const path = fileURLToPath(new URL(`node_modules/${script}`, import.meta.url))
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_PROXY: '*',
  }
  // redocly's exit code is 1 if it finds an error.
  const { stdout, stderr } = spawnSync(process.execPath, [path, ...parameters], {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (stdout === '') throw new Error(`${script}: ${stderr}`)
  return stdout
}
