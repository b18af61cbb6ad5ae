/** A provider's refusal of a request for logs: its exact words, apart from the numbers. */
export interface LogRefusal {
  readonly code: number
  readonly message: string
  /** Some refuse with a status of failure. */
  readonly status?: number
}

export interface RefusedLogs {
  readonly fromBlock: number
  readonly toBlock: number
  /** The most blocks or logs that the endpoint takes. */
  readonly limit: number
}

type Refuse = (asked: RefusedLogs) => LogRefusal

/** Refusals of more blocks than an endpoint ever takes. */
export const rangeRefusals: readonly Refuse[] = [
  ({ fromBlock, toBlock, limit }) =>
    refusal(-32005, `requested too many blocks from ${fromBlock} to ${toBlock}, maximum is set to ${limit}`),
  ({ limit }) => refusal(-32000, `Max range: ${limit}`),
  ({ limit }) => refusal(-32602, `Maximum allowed number of requested blocks is ${limit}`),
  ({ fromBlock, limit }) =>
    refusal(
      -32005,
      `Query too wide. Try with this block range [${hex(fromBlock)}, ${hex(fromBlock + limit - 1)}].`,
    ),
  ({ fromBlock, limit }) =>
    refusal(-32602, `this block range should work: [${hex(fromBlock)}, ${hex(fromBlock + limit - 1)}]`),
  ({ limit }) => refusal(-32005, `eth_getLogs is limited to a ${limit} range`),
  ({ limit }) => refusal(-32600, `You can make eth_getLogs requests with up to a ${limit} block range.`),
  ({ fromBlock, toBlock, limit }) =>
    refusal(-32000, `exceeds the range allowed for your plan (${toBlock - fromBlock + 1} > ${limit})`),
  ({ limit }) => refusal(-32000, `please limit the query to at most ${limit} blocks`),
  ({ limit }) => refusal(-32000, `exceed maximum block range: ${limit}`),
  ({ limit }) => refusal(-32000, `query exceeds max block range ${limit}`),
  ({ limit }) => refusal(-32000, `block range greater than ${limit} max`),
  ({ limit }) => refusal(-32062, `block range is too wide (maximum ${limit})`),
  () => refusal(-32602, 'Block range limit exceeded.'),
  () => refusal(-32000, 'block range is too wide'),
  ({ limit }) => refusal(35, `ranges over ${limit} blocks are not supported on freetier`, 400),
  ({ fromBlock, limit }) => refusal(-32000, `retry with the range ${fromBlock}-${fromBlock + limit - 1}`),
  () => refusal(-32000, 'computer says no'),
]

/** Refusals of a result that is too large, however many blocks it is of. */
export const resultRefusals: readonly Refuse[] = [
  ({ limit }) => refusal(-32005, `query returned more than ${limit} results`),
  () => refusal(-32602, 'query exceeds max results'),
  ({ limit }) => refusal(-32000, `logs matched by query exceeds limit of ${limit}`),
  () => refusal(-32602, 'Log response size exceeded.'),
  () => refusal(-32003, 'backend response too large'),
  ({ limit }) => refusal(-32000, `response size should not greater than ${limit * 500} bytes`),
  () => refusal(-32000, 'too many logs'),
  () => refusal(-32000, 'query timeout exceeded'),
]

function refusal(code: number, message: string, status?: number): LogRefusal {
  return status === undefined ? { code, message } : { code, message, status }
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
