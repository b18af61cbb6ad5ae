import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'

/**
 * The chart of Helm, which npm does not have: the templates keep to four forms, which `render` replaces, and a template
 * with any other form fails.
 */
const folder = join(import.meta.dirname, '..', '..', 'deploy', 'helm')
const release = 'review'

type Node = Readonly<Record<string, unknown>>

interface Manifest extends Node {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: Node
}

const values = parse(readFileSync(join(folder, 'values.yaml'), 'utf8')) as Node
const manifests = renderAll(values)

function renderAll(given: Node): readonly Manifest[] {
  return readdirSync(join(folder, 'templates')).flatMap((file) =>
    parseAllDocuments(render(readFileSync(join(folder, 'templates', file), 'utf8'), given))
      .map((document) => {
        expect(document.errors, file).toEqual([])
        return document.toJS() as Manifest | null
      })
      .filter((manifest) => manifest !== null),
  )
}

function render(template: string, given: Node): string {
  const rendered = template
    .replaceAll(
      /^\{\{- if \.Values\.([\w.]+) \}\}\n([^]*?)^\{\{- end \}\}\n?/gm,
      (_, path: string, body: string) => (valueAt(given, path) === true ? body : ''),
    )
    .replaceAll(
      /\n *\{\{- toYaml \.Values\.([\w.]+) \| nindent (\d+) \}\}/g,
      (_, path: string, width: string) =>
        `\n${stringify(valueAt(given, path))}`.trimEnd().replaceAll('\n', `\n${' '.repeat(Number(width))}`),
    )
    .replaceAll(/\{\{ toYaml \.Values\.config \| sha256sum \}\}/g, 'abc')
    .replaceAll('{{ .Release.Name }}', release)
    .replaceAll(/\{\{ \.Values\.([\w.]+) \}\}/g, (_, path: string) => String(valueAt(given, path)))
  expect(rendered).not.toMatch(/\{\{|\}\}/)
  return rendered
}

function valueAt(given: Node, path: string): unknown {
  const value = path.split('.').reduce<unknown>((node, name) => (node as Node | undefined)?.[name], given)
  if (value === undefined) throw new Error(`values.yaml has no ${path}`)
  return value
}

function find(kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === `${release}-${name}`)
  if (found === undefined) throw new Error(`the chart has no ${kind} ${name}`)
  return found
}

/** The pod of a deployment, and its one container. */
function podOf(name: string): { readonly labels: Node; readonly pod: Node; readonly container: Node } {
  const { template } = find('Deployment', name).spec as {
    readonly template: { readonly metadata: { readonly labels: Node }; readonly spec: Node }
  }
  const [container] = template.spec['containers'] as readonly Node[]
  if (container === undefined) throw new Error('a pod has a container')
  return { labels: template.metadata.labels, pod: template.spec, container }
}

test('two pods index, and pods that serve are multiplied by their load', () => {
  expect(find('Deployment', 'index').spec).toMatchObject({ replicas: 2 })
  // With a number of its own, each upgrade of the release would undo what the autoscaler chose.
  expect(find('Deployment', 'serve').spec).not.toHaveProperty('replicas')
  expect(find('HorizontalPodAutoscaler', 'serve').spec).toMatchObject({
    scaleTargetRef: { kind: 'Deployment', name: `${release}-serve` },
    minReplicas: 2,
    maxReplicas: 10,
  })
  expect(podOf('index').container['args']).toEqual(['index', '--config', '/etc/attestry/attestry.yaml'])
  expect(podOf('serve').container['args']).toEqual(['serve', '--config', '/etc/attestry/attestry.yaml'])
})

test('each selector finds the pods that it is for, and no others', () => {
  const matches = (selector: Node, labels: Node) =>
    Object.entries(selector).every(([name, value]) => labels[name] === value)
  const podLabels = { index: podOf('index').labels, serve: podOf('serve').labels }
  const selected = (selector: Node) =>
    Object.entries(podLabels).flatMap(([name, labels]) => (matches(selector, labels) ? [name] : []))
  const labelsOf = ({ spec }: Manifest) => (spec['selector'] as { readonly matchLabels: Node }).matchLabels
  for (const name of ['index', 'serve']) {
    expect(selected(labelsOf(find('Deployment', name)))).toEqual([name])
    expect(selected(labelsOf(find('PodDisruptionBudget', name)))).toEqual([name])
  }
  for (const name of ['serve', 'metrics']) {
    expect(selected(find('Service', name).spec['selector'] as Node)).toEqual(['serve'])
  }
  const watched = renderAll({ ...values, serviceMonitor: { enabled: true, interval: '15s' } })
  const monitor = watched.find(({ kind }) => kind === 'ServiceMonitor')
  if (monitor === undefined) throw new Error('the chart has a ServiceMonitor')
  const services = watched.filter(
    ({ kind, metadata }) => kind === 'Service' && matches(labelsOf(monitor), metadata.labels ?? {}),
  )
  expect(services.map(({ metadata }) => metadata.name)).toEqual([`${release}-metrics`])
  expect(manifests.some(({ kind }) => kind === 'ServiceMonitor')).toBe(false)
})

test('a pod that serves is probed on its port, and ends after its balancers have heard of the end', () => {
  const { pod, container } = podOf('serve')
  const ports = container['ports'] as readonly { readonly name: string; readonly containerPort: number }[]
  expect(ports).toEqual([
    { name: 'http', containerPort: 4000 },
    { name: 'metrics', containerPort: 9400 },
  ])
  expect(container).toMatchObject({
    startupProbe: { httpGet: { path: '/healthz', port: 'http' } },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
    lifecycle: { preStop: { exec: { command: ['sleep', '10'] } } },
  })
  // The program ends within five seconds of the signal.
  expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(10 + 5)
  for (const name of ['serve', 'metrics']) {
    const [port] = find('Service', name).spec['ports'] as readonly { readonly targetPort: string }[]
    expect(ports.map((each) => each.name)).toContain(port?.targetPort)
  }
})

test('each pod has the rights and folders that the image needs, and a configuration that the program takes', () => {
  const { data } = find('ConfigMap', 'configuration') as unknown as {
    readonly data: Readonly<Record<string, string>>
  }
  for (const name of ['index', 'serve']) {
    const { pod, container } = podOf(name)
    expect(pod['securityContext']).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 })
    expect(container['securityContext']).toMatchObject({ readOnlyRootFilesystem: true })
    const mounts = container['volumeMounts'] as readonly {
      readonly name: string
      readonly mountPath: string
    }[]
    expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/etc/attestry', '/tmp', '/data'])
    const volumes = pod['volumes'] as readonly { readonly name: string }[]
    expect(mounts.map((mount) => mount.name)).toEqual(volumes.map((volume) => volume.name))
    const environment = Object.fromEntries(
      (container['env'] as readonly { readonly name: string; readonly value?: string }[]).map((each) => [
        each.name,
        each.value ?? 'postgres://attestry@db.example/attestry',
      ]),
    )
    const config = parseConfig(data['attestry.yaml'] ?? '', 'attestry.yaml', {
      environment: { ...environment, SEPOLIA_RPC: 'https://sepolia.example' },
      known: knownProtocols,
      flags: {},
      endpointsNeeded: true,
    })
    expect(config.database).toMatchObject({ kind: 'postgres' })
    expect(config.chains.map(({ chainId }) => chainId)).toEqual([11_155_111])
    if (name === 'index') continue
    expect(config.server).toMatchObject({ workers: 1, metricsPort: 9400, metricsHost: '0.0.0.0' })
  }
})
