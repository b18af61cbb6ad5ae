/** The pages of the guide by their group: the name of each, and its file in the repository. */
export const guideGroups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Start: {
    quickstart: 'docs/quickstart.md',
    recipes: 'docs/recipes.md',
    gate: 'docs/gate.md',
    api: 'docs/api.md',
    client: 'client/README.md',
    errors: 'docs/errors.md',
  },
  Use: {
    eas: 'docs/eas.md',
    verax: 'docs/verax.md',
    erc8004: 'docs/erc8004.md',
    proofs: 'docs/proofs.md',
    offchain: 'docs/offchain.md',
    verified: 'docs/verified.md',
    hooks: 'docs/hooks.md',
    'transaction-to-database': 'docs/transaction-to-database.md',
  },
  Operate: {
    operating: 'docs/operating.md',
    configure: 'docs/configure.md',
    networks: 'docs/networks.md',
    watch: 'docs/watch.md',
    grow: 'docs/grow.md',
    content: 'docs/content.md',
    publish: 'docs/publish.md',
    reliability: 'docs/reliability.md',
  },
  Analyse: {
    sql: 'docs/sql.md',
    lake: 'docs/lake.md',
    figures: 'bench/figures.md',
  },
}

/** The file of each page in the repository, by the name of the page. */
export const guideFiles: Readonly<Record<string, string>> = Object.assign(
  {},
  ...Object.values(guideGroups),
) as Record<string, string>
