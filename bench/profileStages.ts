import { isOfBareServer, readProfiles, stacksOf, type CpuProfile, type ProfileNode } from './cpuProfile.ts'
import { formatTable } from './formatTable.ts'
import { percent } from './formatValues.ts'

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
  const profiles = readProfiles(folder)
  const shares = profiles.map(shareStages)
  const rows = [...stages.map(([name]) => name), 'other'].map((stage) => [
    stage,
    ...shares.map((share) => percent(share.get(stage) ?? 0)),
  ])
  const servers = profiles.map((profile) => (isOfBareServer(profile) ? 'baseline' : 'API'))
  return formatTable([['Stage', ...servers], ...rows])
}

function shareStages(profile: CpuProfile): ReadonlyMap<string, number> {
  const stacks = stacksOf(profile)
  const shares = new Map<string, number>()
  for (const stack of stacks) {
    const stage = stageOf(stack)
    shares.set(stage, (shares.get(stage) ?? 0) + 1 / stacks.length)
  }
  return shares
}

function stageOf(stack: readonly ProfileNode[]): string {
  for (const { callFrame } of stack) {
    const frame = `${callFrame.functionName} ${callFrame.url}`
    const stage = stages.find(([, frames]) => frames.test(frame))
    if (stage !== undefined) return stage[0]
  }
  return 'other'
}
