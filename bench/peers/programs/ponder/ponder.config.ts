import { createConfig } from 'ponder'
import { easAbi } from './easAbi'

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL },
  chains: {
    bench: {
      id: Number(process.env.BENCH_CHAIN_ID),
      // Ponder begins with 20 requests a second for each endpoint, so the one endpoint is named fifty times.
      rpc: Array.from({ length: 50 }, () => process.env.BENCH_RPC_URL!),
      // The least that Ponder accepts.
      pollingInterval: 100,
    },
  },
  contracts: {
    EAS: { abi: easAbi, chain: 'bench', address: process.env.BENCH_EAS as `0x${string}`, startBlock: 0 },
  },
})
