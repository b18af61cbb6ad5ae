/**
 * Names of parameters in other interfaces (those of EAS, Verax and Sign Protocol, subgraphs, Relay, Prisma, SQL
 * services, explorers of chains), in lower case without separators, in the singular.
 */

/** Names by what they mean here: the first group of parameters of which the path has some. */
const meanings: readonly (readonly [groups: readonly (readonly string[])[], names: string])[] = [
  [
    [['size']],
    'limit first last take top perpage pagesize pagelimit rowsperpage itemsperpage resultsperpage',
  ],
  [[['size']], 'maxresult maxitem batchsize sizelimit'],
  [[['page', 'cursor']], 'skip p pagenumber pageno pagenum pageindex currentpage startindex'],
  [[['page', 'size']], 'offset'],
  [[['cursor'], ['page']], 'startcursor endcursor nextcursor pagetoken nextpagetoken nexttoken nextpage'],
  [[['cursor'], ['page']], 'continuation continuationtoken startingafter endingbefore searchafter scrollid'],
  [[['cursor'], ['page'], ['lastEventId'], ['from']], 'after'],
  [[['attestedBefore', 'cursor'], ['registeredBefore', 'cursor'], ['page']], 'before'],
  [[['lastEventId']], 'eventid lasteventid'],
  [[['attestedFrom'], ['registeredFrom'], ['from']], 'since starttime startdate fromtime fromdate mintime'],
  [
    [['attestedFrom'], ['registeredFrom'], ['from']],
    'timefrom datefrom createdafter createdfrom attestedafter',
  ],
  [[['attestedFrom'], ['registeredFrom'], ['from']], 'registeredafter fromtimestamp starttimestamp'],
  [[['page', 'attestedFrom'], ['page', 'registeredFrom'], ['from']], 'start'],
  [[['attestedBefore'], ['registeredBefore'], ['before']], 'until endtime enddate totime todate maxtime'],
  [[['attestedBefore'], ['registeredBefore'], ['before']], 'timeto dateto createdbefore attesteduntil end'],
  [[['attestedBefore'], ['registeredBefore'], ['before']], 'totimestamp endtimestamp'],
  [
    [
      ['attestedFrom', 'attestedBefore'],
      ['registeredFrom', 'registeredBefore'],
    ],
    'timecreated createdat createddate attesttimestamp attestedat attesteddate registertimestamp',
  ],
  [[['attester'], ['registrant'], ['account']], 'attestor attesteraddress attestedby sender signer issuer'],
  [
    [['attester'], ['registrant'], ['account']],
    'creator createdby author maker owner fromaddress senderaddress',
  ],
  [[['registrant'], ['attester']], 'registrant attester registerer registeredby deployer'],
  [[['attester', 'attestedFrom'], ['registrant', 'registeredFrom'], ['account']], 'from'],
  [
    [['attester', 'recipient'], ['registrant'], ['account']],
    'account user wallet walletaddress address addr',
  ],
  [[['recipient'], ['type']], 'receiver recipientaddress receiveraddress subject holder'],
  [[['recipient'], ['type']], 'beneficiary toaddress encodedsubject isreceiver received'],
  [[['recipient', 'attestedBefore'], ['before'], ['type']], 'to'],
  [[['attester'], ['type']], 'issender issent created'],
  [
    [['schemaId'], ['id'], ['ids'], ['keyword']],
    'schema schemaid schemauid fullschemaid schemahash schemakey',
  ],
  [[['id'], ['ids'], ['keyword'], ['value']], 'uid attestationid attestationuid recordid hash uidstring'],
  [[['id'], ['ids'], ['keyword'], ['value']], 'ids idin'],
  [[['keyword']], 'tx txhash txid transaction transactionhash name schemaname'],
  [[['keyword'], ['value']], 'q query search searchterm searchtext text term contains'],
  [[['linkedAttestation']], 'refuid reference referencedattestation linkedattestationid linked parent'],
  [[['chainId']], 'chain chainname networkid networkname evmchainid blockchain'],
  [[['protocol']], 'protocolname standard'],
  [[['revoked']], 'isrevoked includerevoked excluderevoked hiderevoked showrevoked revocation'],
  [[['revokedFrom']], 'revokedafter revokedsince'],
  [[['revokedBefore']], 'revokeduntil'],
  [
    [['revokedFrom', 'revokedBefore']],
    'revocationtime revokedat revoketimestamp revocationdate revocationtimestamp',
  ],
  [[['revoked', 'expired', 'validAt']], 'valid isvalid active isactive status state onlyvalid'],
  [
    [['expired', 'validAt']],
    'isexpired expiration expirationtime expirationdate validuntil expire expiresat',
  ],
  [[['expired', 'validAt']], 'includeexpired excludeexpired'],
  [[['revocable']], 'isrevocable'],
  [[['resolver']], 'resolveraddress'],
  [[['portal']], 'portalid portaladdress'],
  [[['indexingValue']], 'index indexvalue indexingkey indexkey'],
  [[['dataLocation']], 'location storage storagelocation storagetype'],
  [[['include']], 'decode decoded withdecoded parse parsed expand embed with'],
  [[['fields', 'include'], ['include']], 'select column detail detailed'],
  [[['filter']], 'type kind category'],
  [[['type']], 'role direction kind'],
  [[['by']], 'groupby group aggregate aggregateby breakdown interval granularity dimension'],
  [[['block'], ['asOf']], 'blocknumber height atblock blockheight'],
  [[['asOf']], 'block blockhash blocktag snapshot'],
  [[['wait']], 'timeout waitsecond waitfor'],
]

export const otherNames: ReadonlyMap<string, readonly (readonly string[])[]> = collect()

function collect(): Map<string, readonly (readonly string[])[]> {
  const collected = new Map<string, readonly (readonly string[])[]>()
  for (const [groups, names] of meanings) {
    for (const name of names.split(' ')) collected.set(name, [...(collected.get(name) ?? []), ...groups])
  }
  return collected
}

/** Names of parameters that hold several filters. */
export const namesOfFilters: ReadonlySet<string> = new Set(
  'where filter filterby criteria condition having predicate'.split(' '),
)

/** Names of parameters that ask for an order of rows. */
export const namesOfOrders: ReadonlySet<string> = new Set(
  'orderby order ordering orderdirection orderdir sort sortby sortorder sortdirection sortdir direction asc desc'.split(
    ' ',
  ),
)
