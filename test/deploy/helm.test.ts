import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/schema'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { parseConfig } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'

/**
 * The chart of Helm, which npm does not have: `render` knows the few forms that the templates use, and any other form
 * fails.
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
const templates = readdirSync(join(folder, 'templates')).map((file) => ({
  file,
  text: readFileSync(join(folder, 'templates', file), 'utf8'),
}))
const manifests = renderAll(values)

function renderAll(given: Node): readonly Manifest[] {
  return templates
    .filter(({ file }) => file.endsWith('.yaml'))
    .flatMap(({ file, text }) =>
      parseAllDocuments(render(text, given))
        .map((document) => {
          expect(document.errors, file).toEqual([])
          return document.toJS() as Manifest | null
        })
        .filter((manifest) => manifest !== null),
    )
}

/** A piece of a template: a text, or an action with the pieces up to its end. */
type Piece = string | { readonly action: string; readonly body: readonly Piece[] }

/** @throws Error for actions that are not balanced. */
function parseTemplate(template: string): readonly Piece[] {
  const stack: { readonly action: string; readonly body: Piece[] }[] = [{ action: '', body: [] }]
  let rest = template
  for (;;) {
    const top = stack.at(-1)
    if (top === undefined) throw new Error('an end without a beginning')
    const found = /^([^]*?)\{\{(-?) ([^{}]*?) \}\}/.exec(rest)
    if (found === null) {
      if (stack.length > 1) throw new Error(`no end of ${top.action}`)
      return [...top.body, rest]
    }
    const [all, before = '', trims, action = ''] = found
    top.body.push(trims === '-' ? before.trimEnd() : before)
    rest = rest.slice(all.length)
    if (/^(?:if|with|range|define) /.test(action)) stack.push({ action, body: [] })
    else if (action === 'end') {
      stack.pop()
      stack.at(-1)?.body.push(top)
    } else top.body.push({ action, body: [] })
  }
}

function render(template: string, given: Node): string {
  const parts = new Map<string, readonly Piece[]>()
  for (const { text } of templates) {
    for (const piece of parseTemplate(text)) {
      if (typeof piece === 'string') continue
      const name = /^define "([^"]+)"$/.exec(piece.action)?.[1]
      if (name !== undefined) parts.set(name, piece.body)
    }
  }
  const root = { Values: given, Release: { Name: release, Namespace: 'default' } }
  const find = (path: string, dot: unknown) => {
    if (path === '.') return dot
    if (!path.startsWith('$.') && dot !== root) throw new Error(`${path} stands in a with or range`)
    return valueAt(root, path.replace(/^\$?\./, ''))
  }
  const show = (pieces: readonly Piece[], dot: unknown): string =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : act(piece.action, piece.body, dot))).join('')
  const act = (action: string, body: readonly Piece[], dot: unknown): string => {
    const [, verb, path = '', pipe] =
      /^(?:(if|with|range|toYaml|include "[^"]+"|define "[^"]+") ?)?(\$?\.[\w.]*)?(?: \| (.+))?$/.exec(
        action,
      ) ?? []
    if (verb === undefined && path === '') throw new Error(`{{ ${action} }} is no form that this test knows`)
    if (verb?.startsWith('define') === true) return ''
    const value = find(path, dot)
    const isGiven = value !== '' && value !== false && Object.keys(Object(value) as object).length > 0
    if (verb === 'if') return value === true ? show(body, dot) : ''
    if (verb === 'with') return isGiven || typeof value === 'number' ? show(body, value) : ''
    if (verb === 'range') return (value as readonly unknown[]).map((each) => show(body, each)).join('')
    const text =
      verb === 'toYaml'
        ? stringify(value).trimEnd()
        : verb?.startsWith('include') === true
          ? show(parts.get(verb.slice('include "'.length, -1)) ?? [], value)
          : String(value)
    if (pipe === undefined) return text
    if (pipe === 'sha256sum') return 'abc'
    const width = /^nindent (\d+)$/.exec(pipe)?.[1]
    if (width === undefined) throw new Error(`${pipe} is no function that this test knows`)
    return `\n${text}`.replaceAll('\n', `\n${' '.repeat(Number(width))}`)
  }
  return show(parseTemplate(template), root)
}

function valueAt(given: Node, path: string): unknown {
  const value = path.split('.').reduce<unknown>((node, name) => (node as Node | undefined)?.[name], given)
  if (value === undefined) throw new Error(`there is no ${path}`)
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

test('the values are checked by a schema that has each of them, and knows no others', () => {
  const schema = JSON.parse(readFileSync(join(folder, 'values.schema.json'), 'utf8')) as Node
  const isValid = (given: Node) => Check(schema, given)
  expect(isValid(values)).toBe(true)
  const ingress = { enabled: true, hosts: ['index.example'] }
  expect(isValid({ ...values, ingress })).toBe(true)
  expect(isValid({ ...values, ingress: { ...ingress, hosts: [] } })).toBe(false)
  expect(isValid({ ...values, ingres: ingress })).toBe(false)
  expect(isValid({ ...values, config: {} })).toBe(false)
  expect(isValid({ ...values, index: { replicas: '2' } })).toBe(false)
  expect(isValid({ ...values, environment: [{ value: 'x' }] })).toBe(false)
  const described = Object.keys(schema['properties'] as Node).filter((name) => name !== 'global')
  expect(Object.keys(values).toSorted()).toEqual(described.toSorted())
})

const everything: Node = {
  ...values,
  image: { ...(values['image'] as Node), pullSecrets: [{ name: 'registry' }] },
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  podAnnotations: { 'example.com/team': 'data' },
  environment: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/ca.pem' }],
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
    hosts: ['index.example', 'www.index.example'],
    tls: [{ secretName: 'tls', hosts: ['index.example'] }],
  },
  networkPolicy: { enabled: true, httpFrom: [{ namespaceSelector: {} }], metricsFrom: [] },
}

test('every pod takes its place, its annotations and its further environment from the values', () => {
  const pods = renderAll(everything).filter(({ spec }) => spec !== undefined && 'template' in spec)
  expect(pods.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'Deployment', 'Job'])
  for (const { spec } of pods) {
    const { metadata, spec: pod } = spec['template'] as { readonly metadata: Node; readonly spec: Node }
    expect(metadata['annotations']).toMatchObject({ 'example.com/team': 'data' })
    expect(pod).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
      tolerations: [{ key: 'spot', operator: 'Exists' }],
    })
    const [container] = pod['containers'] as readonly { readonly env: readonly { readonly name: string }[] }[]
    expect(container?.env.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['DATABASE_URL', 'NODE_EXTRA_CA_CERTS']),
    )
  }
})

test('before an upgrade a job of the new version reads the configuration and migrates the database', () => {
  const { metadata } = find('Job', 'upgrade')
  expect(metadata).toMatchObject({
    annotations: { 'helm.sh/hook': 'pre-upgrade', 'helm.sh/hook-weight': '0' },
  })
  // The configuration of the release itself is still that of the old version.
  expect(find('ConfigMap', 'upgrade')).toMatchObject({
    metadata: { annotations: { 'helm.sh/hook': 'pre-upgrade', 'helm.sh/hook-weight': '-1' } },
    data: (find('ConfigMap', 'configuration') as unknown as Node)['data'],
  })
  const { spec } = find('Job', 'upgrade').spec['template'] as { readonly spec: Node }
  expect(spec['containers']).toMatchObject([
    { args: ['check-database', '--config', '/etc/attestry/attestry.yaml'] },
  ])
  const without = renderAll({ ...values, upgradeCheck: { enabled: false } })
  expect(without.filter(({ kind }) => kind === 'Job')).toEqual([])
})

test('an ingress leads its hosts to the pods that serve, and a policy lets clients connect to no others', () => {
  const rendered = renderAll(everything)
  const get = (kind: string) => rendered.filter((each) => each.kind === kind)
  const [ingress] = get('Ingress')
  expect(ingress?.metadata).toMatchObject({
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
  })
  const service = { name: `${release}-serve`, port: { name: 'http' } }
  const http = { paths: [{ path: '/', pathType: 'Prefix', backend: { service } }] }
  expect(ingress?.spec).toEqual({
    ingressClassName: 'nginx',
    tls: [{ secretName: 'tls', hosts: ['index.example'] }],
    rules: ['index.example', 'www.index.example'].map((host) => ({ host, http })),
  })
  expect(get('NetworkPolicy').map(({ spec }) => spec)).toEqual([
    {
      podSelector: find('Deployment', 'serve').spec['selector'],
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [{ port: 'http' }], from: [{ namespaceSelector: {} }] },
        { ports: [{ port: 'metrics' }] },
      ],
    },
    { podSelector: find('Deployment', 'index').spec['selector'], policyTypes: ['Ingress'] },
  ])
  expect(manifests.filter(({ kind }) => kind === 'Ingress' || kind === 'NetworkPolicy')).toEqual([])
})

test('the notes after an installation name the address, the secrets and a request', () => {
  const notes = templates.find(({ file }) => file === 'NOTES.txt')?.text ?? ''
  const text = render(notes, everything)
  expect(text).toContain('2 pods index, 2 to 10 serve')
  expect(text).toContain('https://www.index.example')
  expect(text).toContain('port-forward service/review-serve 4000:80')
  expect(render(notes, values)).not.toContain('https://')
})
