import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withTestConnection } from '../harness/postgresConnection.ts'
import { startPostgresServer, type PostgresServer } from '../harness/postgresServer.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'
import { loadRecordedChain, serveRecordedChain } from '../upgrade/recordedChain.ts'
import { nightTest } from '../harness/nightly.ts'

/** `compose.yaml` and the `Dockerfile`, with the program and PostgreSQL as processes of this machine. */

type Variables = Readonly<Record<string, string>>

interface Bind {
  readonly type: string
  readonly source: string
  readonly target: string
  readonly bind: { readonly create_host_path: boolean }
}

interface Compose {
  readonly services: {
    readonly database: { readonly environment: Variables; readonly healthcheck: { readonly test: string[] } }
    readonly attestry: {
      readonly environment: Variables
      readonly ports: readonly string[]
      readonly env_file: readonly { readonly path: string; readonly required: boolean }[]
      readonly volumes: readonly (string | Bind)[]
    }
  }
}

/** Every sign that ends a password in a URL, or is decoded there. */
const password = 'p@ss/w#rd?%20:'
const key = 'k3y-of-the-endpoint'

let folder: string
let server: PostgresServer
let program: SpawnedAttestry | null = null

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-compose-'))
  const rules = join(folder, 'pg_hba.conf')
  // As in PostgreSQL's image: who comes by the network needs the password.
  writeFileSync(rules, 'host attestry all 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n', {
    mode: 0o644,
  })
  chmodSync(folder, 0o755)
  server = await startPostgresServer({ settings: { hba_file: rules } })
  await server.createDatabase('attestry')
  await withTestConnection(server.urlOf('postgres'), (connection) =>
    connection.exec(`ALTER ROLE attestry PASSWORD '${password}'`),
  )
})

afterAll(async () => {
  program?.child.kill('SIGKILL')
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

nightTest(
  'the services of compose.yaml reach each other with any password, which no line of the log has',
  async () => {
    const recorded = loadRecordedChain()
    const endpoint = await serveRecordedChain(recorded, recorded.blocks.length - 1)
    const outside = { POSTGRES_PASSWORD: password }
    const { database, attestry } = (parse(interpolate(read('compose.yaml'), outside)) as Compose).services
    expect(database.environment).toEqual({
      POSTGRES_USER: 'attestry',
      POSTGRES_DB: 'attestry',
      POSTGRES_PASSWORD: password,
    })
    expect(attestry.ports).toEqual([`127.0.0.1:4000:${imageVariables()['PORT']}`])
    const binds = attestry.volumes.filter((each) => typeof each !== 'string')
    // A missing file is an error instead of a new folder.
    expect(binds).toMatchObject([
      { type: 'bind', source: './attestry.yaml', bind: { create_host_path: false } },
    ])
    expect(read('Dockerfile')).toContain(`"--config", "${binds[0]?.target}"`)
    expect(attestry.env_file).toEqual([{ path: 'attestry.env', required: false }])

    const mounted = attestry.volumes.map((each) =>
      typeof each === 'string' ? each.split(':')[1] : each.target,
    )
    expect(mounted).toContain(/^VOLUME (.*)$/m.exec(read('Dockerfile'))?.[1])

    const { chainId, contracts } = recorded
    const contract = { protocol: 'sign', address: contracts.sign, startBlock: 0 }
    writeFileSync(
      join(folder, 'attestry.yaml'),
      JSON.stringify({
        server: { explorer: false },
        chains: [{ chainId, rpc: ['${SEPOLIA_RPC}'], contracts: [contract] }],
      }),
    )
    const { DATABASE_URL = '' } = attestry.environment
    program = spawnAttestry(['start', '--config', 'attestry.yaml'], {
      cwd: folder,
      environment: {
        ...imageVariables(),
        ...attestry.environment,
        // A line of attestry.env.
        SEPOLIA_RPC: `${endpoint.url}/${key}`,
        DATABASE_URL: DATABASE_URL.replace('database:5432', `127.0.0.1:${server.port}`),
        HOST: '127.0.0.1',
        PORT: '0',
      },
    })
    const { port } = new URL(/http:[^"\s]+/.exec(await program.waitForLine(/"serving"/))?.[0] ?? '')
    await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    expect(await isHealthy(port)).toBe(true)
    program.child.kill('SIGTERM')
    const { code, stdout, stderr } = await program.waitForExit()
    expect(code).toBe(0)
    expect(await isHealthy(port)).toBe(false)
    for (const secret of [password, encodeURIComponent(password), key])
      expect(stdout + stderr).not.toContain(secret)
    await endpoint.close()
  },
)

test('the services of the profiles are wired to files that exist and to each other', () => {
  const { services } = parse(interpolate(read('compose.yaml'), { POSTGRES_PASSWORD: password })) as {
    readonly services: Readonly<
      Record<string, { readonly volumes: readonly string[]; readonly profiles?: string[] }>
    >
  }
  const profiled = Object.values(services).filter(({ profiles }) => profiles !== undefined)
  expect(profiled).toHaveLength(3)
  const files = profiled.flatMap(({ volumes }) => volumes).filter((volume) => volume.startsWith('./'))
  for (const file of files) expect(read(file.split(':')[0] ?? '').length).toBeGreaterThan(0)
  expect(files).toContain('./deploy/grafana.json:/var/lib/grafana/dashboards/attestry.json:ro')
  const { scrape_configs: jobs, rule_files: rules } = parse(read('deploy/prometheus.yml')) as {
    readonly scrape_configs: readonly {
      readonly job_name: string
      readonly static_configs: readonly { readonly targets: string[] }[]
    }[]
    readonly rule_files: readonly string[]
  }
  // The alerts name the job.
  expect(jobs.map(({ job_name: name }) => name)).toEqual(['attestry'])
  expect(files).toContain(`./deploy/alerts.yml:${rules[0]}:ro`)
  const targets = jobs.flatMap(({ static_configs: targetLists }) =>
    targetLists.flatMap((list) => list.targets),
  )
  const { datasources } = parse(read('deploy/grafana/datasource.yml')) as {
    readonly datasources: readonly { readonly url: string }[]
  }
  const hosts = [...targets, ...datasources.map(({ url }) => new URL(url).host)].map(
    (each) => each.split(':')[0],
  )
  expect(Object.keys(services)).toEqual(expect.arrayContaining(hosts))
  expect(targets).toEqual([`attestry:${imageVariables()['PORT']}`])
})

function read(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
}

/** https://docs.docker.com/reference/compose-file/interpolation/, as far as the file uses it. */
function interpolate(text: string, variables: Variables): string {
  return text.replaceAll(/^(?!\s*#).*$/gm, (line) =>
    line.replaceAll(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (_, name: string, absent?: string) => {
      const value = variables[name] ?? absent
      if (value === undefined) throw new Error(`compose.yaml needs ${name}`)
      return line.includes(': ${') ? JSON.stringify(value) : value
    }),
  )
}

function imageVariables(): Variables {
  const [, text = ''] = /^ENV (.*)$/m.exec(read('Dockerfile')) ?? []
  return Object.fromEntries(text.split(' ').map((each) => each.split('=', 2) as [string, string]))
}

/** Runs the health check of the image. */
async function isHealthy(port: string): Promise<boolean> {
  const [, text = ''] = /^HEALTHCHECK .*\n +CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
  const [, ...parameters] = JSON.parse(text) as string[]
  return await promisify(execFile)(process.execPath, parameters, { env: { PORT: port } }).then(
    () => true,
    ({ code }: { readonly code: unknown }) => {
      expect(code).toBe(1)
      return false
    },
  )
}
