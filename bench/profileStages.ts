import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTable } from './formatTable.ts'
import { percent } from './formatValues.ts'

/** A frame of a `.cpuprofile`, as far as it is read here. */
interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
}

/** The stages of an answer by the frames that they consist of. The innermost frame that is listed decides. */
const stages: readonly (readonly [name: string, frames: RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)/],
  ['statement', /sqlite\/connection|sqlite\/readSession|^readRows /],
  ['store: sessions, texts of statements, records', /packages\/store\//],
  ['tag', /internal\/crypto|^createAnswer /],
  [
    'parameters',
    /pipeline\/parameters|compositeId|readGraphqlRequest|graphql\/input|costOfPlan|liftLiterals|OperationCache|graphql\/execution\/values|valueFromAST|instanceOf/,
  ],
  ['keeping and looking up answers', /keptAnswers|recentMap/],
  ['encoding', /byteLength|negotiate|answerWith|compress/],
  [
    'headers',
    /writeHead|storeHeader|processHeader|pipeline\/headers|pipeline\/asOf|pipeline\/freshness|formatVersion|answers\/answer\.ts|checkIsHttpToken|checkInvalidHeaderChar|matchHeader|utcDate/,
  ],
  [
    'JSON',
    /server\/src\/records|core\/src\/model|writeJson|envelope|execution\/executePlan|graphql\/fields|serializeLeaf|packages\/subgraphs|requestContext/,
  ],
  [
    'writing',
    /^(?:end|send|_send|_writeRaw|write_|onFinish|resOnFinish|afterWrite\w*|onwrite|uncork|_write\w*|writeGeneric|doWrite|clearBuffer|writeOrBuffer|finishMaybe|writeUtf8String|Socket\._write\w*|onWriteComplete|detachSocket|clearIncoming|sendAnswer) /,
  ],
  ['bodies', /pipeline\/bodies|content-type-parser/],
  [
    'routing',
    /fastify|find-my-way|toad-cache|createServer|answerUnrouted|meterRoutes|requestMeter|checkRequests|pipeline\/access|limitRates|requestCounts|clientOf/,
  ],
  [
    'accepting and parsing',
    /_http_|internal\/streams|stream_base_commons|internal\/timers|node:net|node:events|bareServer/,
  ],
  ['effort, turns, slots', /pipeline\/effort|core\/src\/shares|answerInTurn|threadTurns|clientSlots/],
  ['handler', /packages\/(?!store)/],
]

/** The share of each stage of an answer in the samples of the profiles in a folder, as Markdown. */
export function formatStages(folder: string): string {
  const profiles = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    // `node --cpu-prof` wrote the file.
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile)
  const shares = profiles.map(shareStages)
  const rows = [...stages.map(([name]) => name), 'other'].map((stage) => [
    stage,
    ...shares.map((share) => percent(share.get(stage) ?? 0)),
  ])
  return formatTable([['Stage', ...profiles.map(serverOf)], ...rows])
}

function serverOf({ nodes }: CpuProfile): string {
  return nodes.some(({ callFrame }) => callFrame.url.endsWith('/bareServer.ts')) ? 'baseline' : 'API'
}

/** Samples are counted, not their times: that of a thread which was preempted is as long as the preemption. */
function shareStages({ nodes, samples }: CpuProfile): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const stageOf = (id: number | undefined): string => {
    const node = id === undefined ? undefined : byId.get(id)
    if (node === undefined) return 'other'
    const frame = `${node.callFrame.functionName} ${node.callFrame.url}`
    return stages.find(([, frames]) => frames.test(frame))?.[0] ?? stageOf(parents.get(node.id))
  }
  // The first part is the start of the server and its warm-up.
  const counted = samples
    .slice(Math.floor(samples.length * warmUpShare))
    .filter((id) => byId.get(id)?.callFrame.functionName !== '(idle)')
  const shares = new Map<string, number>()
  for (const id of counted) {
    const stage = stageOf(id)
    shares.set(stage, (shares.get(stage) ?? 0) + 1 / counted.length)
  }
  return shares
}

const warmUpShare = 0.4
