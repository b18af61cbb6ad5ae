// Generated from the OpenAPI document by `npm run generate -w client`; do not edit.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process answers */
        get: operations["getHealthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/index/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attestations, newest first, as Sign Protocol's SDK reads them; filters combine */
        get: operations["getIndexAttestations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/index/attestations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An attestation by its composite id, as Sign Protocol's SDK reads it */
        get: operations["getIndexAttestationsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/index/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schemas, newest first, as Sign Protocol's SDK reads them */
        get: operations["getIndexSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/index/schemas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A schema by its composite id, as Sign Protocol's SDK reads it */
        get: operations["getIndexSchemasById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether every configured chain has reached its head; a 503 until then, with the same data */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/addresses/{address}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attestations that an address made and received, by day */
        get: operations["getScanAddressesByAddressActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/addresses/{address}/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Off-chain anchors that an address made, by chain and event */
        get: operations["getScanAddressesByAddressAnchors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/addresses/{address}/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attestations that an address made or received, newest first; filters combine */
        get: operations["getScanAddressesByAddressAttestations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/addresses/{address}/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schemas that an address registered, newest first */
        get: operations["getScanAddressesByAddressSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/addresses/{address}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Numbers of schemas and attestations that an address made and received */
        get: operations["getScanAddressesByAddressStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/aggregate/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many attestations there are of each schema, attester, day …; filters combine */
        get: operations["getScanAggregateAttestations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Off-chain anchors: values that accounts noted on chain, newest first; filters combine */
        get: operations["getScanAnchors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attestations, newest first; filters combine */
        get: operations["getScanAttestations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/attestations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An attestation by its composite id */
        get: operations["getScanAttestationsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/attestations/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A proof that an attestation was made, or revoked */
        get: operations["getScanAttestationsByIdProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/attestations/by-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Up to 100 attestations by their composite ids */
        get: operations["getScanAttestationsByIds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/attestations/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The status of up to 10000 attestations */
        post: operations["postScanAttestationsStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/chains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The indexed chains, and the distance of each from its head */
        get: operations["getScanChains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** New, revoked and taken-back records and anchors as they are indexed, as server-sent events */
        get: operations["getScanEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/export/attestations.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All attestations that pass the filters, oldest first, as CSV */
        get: operations["getScanExportAttestationsCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/export/attestations.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All attestations that pass the filters, oldest first, as NDJSON */
        get: operations["getScanExportAttestationsNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/export/schemas.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All schemas that pass the filters, oldest first, as CSV */
        get: operations["getScanExportSchemasCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/export/schemas.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All schemas that pass the filters, oldest first, as NDJSON */
        get: operations["getScanExportSchemasNdjson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Which of up to 10000 addresses hold a valid attestation under a schema */
        post: operations["postScanHolders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/latest-attestations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ten newest attestations */
        get: operations["getScanLatestAttestations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/offchain/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether an off-chain attestation holds: each check, and what the index knows of it */
        post: operations["postScanOffchainVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/offchain/verify-private": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether values are among the private data whose root an attestation of EAS holds */
        post: operations["postScanOffchainVerifyPrivate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schemas, newest first; filters combine */
        get: operations["getScanSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/schemas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A schema by its composite id */
        get: operations["getScanSchemasById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/schemas/{id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Attestations made under a schema, by day */
        get: operations["getScanSchemasByIdActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/schemas/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A proof that a schema was registered */
        get: operations["getScanSchemasByIdProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/schemas/by-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Up to 100 schemas by their composite ids */
        get: operations["getScanSchemasByIds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Results for a keyword: schemas, attestations and addresses, the ten best of each */
        get: operations["getScanSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Totals of the index and counts by day, together and by chain and protocol */
        get: operations["getScanStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/top-schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The ten schemas with the most attestations */
        get: operations["getScanTopSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/transactions/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a transaction registered, made and revoked */
        get: operations["getScanTransactionsByHash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scan/trending-schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Up to ten schemas with the most attestations of late, the latest hours counting most */
        get: operations["getScanTrendingSchemas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Failure: {
            /** @description Empty, except for `/readyz`. */
            data: Record<string, never>;
            /** @description The mistake and the valid values, in one sentence. */
            message: string;
            /** @description The HTTP status, repeated. */
            statusCode: number;
            /** @constant */
            success: false;
        };
    };
    responses: {
        /** @description A parameter or a member of the body is malformed, out of range or given twice, or the request is not valid HTTP. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 400,
                 *       "data": {},
                 *       "message": "size must be a whole number from 1 to 100, in decimal digits; it was '1e3'."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The body is too long. */
        BodyTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 413,
                 *       "data": {},
                 *       "message": "The body is longer than this path reads; send a shorter one."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description URL and headers together are too long. */
        HeadersTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 431,
                 *       "data": {},
                 *       "message": "The headers are too long; with the URL they may have at most 20480 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description A defect of the server, which has been logged. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 500,
                 *       "data": {},
                 *       "message": "The server failed to answer this request; the failure has been logged."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description No such record is indexed. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 404,
                 *       "data": {},
                 *       "message": "No schema onchain_evm_1_0xff is indexed here; /scan/schemas lists those that are."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The index is older than the version that `If-Attestry-Version-At-Least` asks for. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 412,
                 *       "data": {},
                 *       "message": "The index is at version 7, older than the version 9 that If-Attestry-Version-At-Least asks for."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 408,
                 *       "data": {},
                 *       "message": "The request did not arrive in time; send it again, whole and at once."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description This client asks too often. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 429,
                 *       "data": {},
                 *       "message": "This address asks too often; wait as long as Retry-After says."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The index cannot be read at the moment, or is overloaded. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 503,
                 *       "data": {},
                 *       "message": "The index cannot be read at the moment; try again in a few seconds."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The body is not JSON. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 415,
                 *       "data": {},
                 *       "message": "The body is of a type that this path does not read; send it as application/json."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The URL is too long. */
        UriTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "statusCode": 414,
                 *       "data": {},
                 *       "message": "The URL is too long; it may have at most 12288 bytes."
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Validator of the content, for `If-None-Match`. */
        ETag: string;
        /** @description Seconds after which to repeat the request. */
        RetryAfter: number;
        /** @description The version of the index that the answer is at least as new as, for `If-Attestry-Version-At-Least`. */
        Version: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @constant */
                            status: "ok";
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getIndexAttestations: {
        parameters: {
            query?: {
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Composite id of an attestation: only this one. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                id?: string;
                /** @description Only attestations with exactly this indexing value; hexadecimal in any case. */
                indexingValue?: string;
                /** @description The mode of the records. No `offchain` record is indexed. */
                mode?: "onchain" | "offchain";
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. */
                page?: number;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Rows on a page. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A page. */
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix milliseconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The payload; `0x` if empty. */
                                data: string;
                                /**
                                 * @description Where the payload is kept, in lower case.
                                 * @enum {string}
                                 */
                                dataLocation: "onchain" | "arweave" | "ipfs" | "custom";
                                /** @description Always this value. */
                                extra: Record<string, never>;
                                /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                                from: string;
                                /** @description Composite id of the schema. */
                                fullSchemaId: string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /** @description The indexing value, unchanged; may be empty. */
                                indexingValue: string;
                                /** @description When the indexer last changed the record (a revocation); null if it never did. */
                                lastSyncAt: null | string;
                                /** @description Composite id of the attestation that this one refers to; empty without one. */
                                linkedAttestation: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Whether it was revoked. */
                                revoked: boolean;
                                /** @description Reason of the revocation, empty without one; null unless revoked. */
                                revokeReason: null | string;
                                /** @description Time of the revocation; null unless revoked. */
                                revokeTimestamp: null | string;
                                /** @description Transaction of the revocation; empty unless revoked. */
                                revokeTransactionHash: string;
                                /** @description Its schema, complete. */
                                schema: {
                                    /** @description Attestations ever made under the schema, revoked ones too. */
                                    attestationCount: number;
                                    /** @description Distinct attesters of these attestations. */
                                    attesterCount: number;
                                    /** @description Decimal number of the chain. */
                                    chainId: string;
                                    /**
                                     * @description The kind of chain.
                                     * @constant
                                     */
                                    chainType: "evm";
                                    /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                    data: {
                                        /** @description Empty if the schema has no name for the field. */
                                        name: string;
                                        /** @description In the spelling of the schema. */
                                        type: string;
                                    }[];
                                    /** @description May be empty. */
                                    description: string;
                                    /** @description Always this value. */
                                    extra: Record<string, never>;
                                    /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                                    from: string;
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description Seconds that an attestation may stay valid, 0 for ever; a uint64. */
                                    maxValidFor: string;
                                    /**
                                     * @description Where the record lives.
                                     * @constant
                                     */
                                    mode: "onchain";
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description The text of the schema on chain. */
                                    originalData: string;
                                    /** @description When it was registered, in Unix milliseconds. */
                                    registerTimestamp: string;
                                    /** @description Account that registered the schema. */
                                    registrant: string;
                                    /** @description Contract that is called at each attestation; all zeros without one. */
                                    resolver: string;
                                    /** @description Whether attestations under the schema can be revoked. */
                                    revocable: boolean;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                    /** @description When the record was indexed, in Unix milliseconds. */
                                    syncAt: string;
                                    /** @description Transaction that registered the schema; empty if the schema is not indexed itself. */
                                    transactionHash: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description When the record was indexed, in Unix milliseconds. */
                                syncAt: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                                /** @description Until when it is valid, in Unix seconds; 0: for ever; a uint64. */
                                validUntil: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getIndexAttestationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Composite id of the attestation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An attestation, complete. */
                        data: {
                            /** @description Local id of the attestation. */
                            attestationId: string;
                            /** @description Account that attests. */
                            attester: string;
                            /** @description When it was made, in Unix milliseconds. */
                            attestTimestamp: string;
                            /** @description Decimal number of the chain. */
                            chainId: string;
                            /**
                             * @description The kind of chain.
                             * @constant
                             */
                            chainType: "evm";
                            /** @description The payload; `0x` if empty. */
                            data: string;
                            /**
                             * @description Where the payload is kept, in lower case.
                             * @enum {string}
                             */
                            dataLocation: "onchain" | "arweave" | "ipfs" | "custom";
                            /** @description Always this value. */
                            extra: Record<string, never>;
                            /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                            from: string;
                            /** @description Composite id of the schema. */
                            fullSchemaId: string;
                            /** @description Composite id of the attestation. */
                            id: string;
                            /** @description The indexing value, unchanged; may be empty. */
                            indexingValue: string;
                            /** @description When the indexer last changed the record (a revocation); null if it never did. */
                            lastSyncAt: null | string;
                            /** @description Composite id of the attestation that this one refers to; empty without one. */
                            linkedAttestation: string;
                            /**
                             * @description Where the record lives.
                             * @constant
                             */
                            mode: "onchain";
                            /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                            recipients: string[];
                            /** @description Whether it was revoked. */
                            revoked: boolean;
                            /** @description Reason of the revocation, empty without one; null unless revoked. */
                            revokeReason: null | string;
                            /** @description Time of the revocation; null unless revoked. */
                            revokeTimestamp: null | string;
                            /** @description Transaction of the revocation; empty unless revoked. */
                            revokeTransactionHash: string;
                            /** @description Its schema, complete. */
                            schema: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Distinct attesters of these attestations. */
                                attesterCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Always this value. */
                                extra: Record<string, never>;
                                /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                                from: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /** @description Seconds that an attestation may stay valid, 0 for ever; a uint64. */
                                maxValidFor: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description The text of the schema on chain. */
                                originalData: string;
                                /** @description When it was registered, in Unix milliseconds. */
                                registerTimestamp: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Contract that is called at each attestation; all zeros without one. */
                                resolver: string;
                                /** @description Whether attestations under the schema can be revoked. */
                                revocable: boolean;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description When the record was indexed, in Unix milliseconds. */
                                syncAt: string;
                                /** @description Transaction that registered the schema; empty if the schema is not indexed itself. */
                                transactionHash: string;
                            };
                            /** @description Local id of the schema. */
                            schemaId: string;
                            /** @description When the record was indexed, in Unix milliseconds. */
                            syncAt: string;
                            /** @description Transaction that created the record. */
                            transactionHash: string;
                            /** @description Until when it is valid, in Unix seconds; 0: for ever; a uint64. */
                            validUntil: string;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getIndexSchemas: {
        parameters: {
            query?: {
                /**
                 * @description Composite id of a schema: only this one. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                id?: string;
                /** @description The mode of the records. No `offchain` record is indexed. */
                mode?: "onchain" | "offchain";
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. */
                page?: number;
                /**
                 * @description Only schemas that this account registered. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                registrant?: string;
                /** @description Rows on a page. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A page. */
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Distinct attesters of these attestations. */
                                attesterCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Always this value. */
                                extra: Record<string, never>;
                                /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                                from: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /** @description Seconds that an attestation may stay valid, 0 for ever; a uint64. */
                                maxValidFor: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description The text of the schema on chain. */
                                originalData: string;
                                /** @description When it was registered, in Unix milliseconds. */
                                registerTimestamp: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Contract that is called at each attestation; all zeros without one. */
                                resolver: string;
                                /** @description Whether attestations under the schema can be revoked. */
                                revocable: boolean;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description When the record was indexed, in Unix milliseconds. */
                                syncAt: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getIndexSchemasById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Composite id of the schema. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A schema, whole. */
                        data: {
                            /** @description Attestations ever made under the schema, revoked ones too. */
                            attestationCount: number;
                            /** @description Distinct attesters of these attestations. */
                            attesterCount: number;
                            /** @description Decimal number of the chain. */
                            chainId: string;
                            /**
                             * @description The kind of chain.
                             * @constant
                             */
                            chainType: "evm";
                            /** @description The fields of attestations under the schema; empty if its text has no known form. */
                            data: {
                                /** @description Empty if the schema has no name for the field. */
                                name: string;
                                /** @description In the spelling of the schema. */
                                type: string;
                            }[];
                            /** @description May be empty. */
                            description: string;
                            /** @description Always this value. */
                            extra: Record<string, never>;
                            /** @description Sender of the transaction; empty unless the chain is configured to fetch it. */
                            from: string;
                            /** @description Composite id of the schema. */
                            id: string;
                            /** @description Seconds that an attestation may stay valid, 0 for ever; a uint64. */
                            maxValidFor: string;
                            /**
                             * @description Where the record lives.
                             * @constant
                             */
                            mode: "onchain";
                            /** @description May be empty. */
                            name: string;
                            /** @description The text of the schema on chain. */
                            originalData: string;
                            /** @description When it was registered, in Unix milliseconds. */
                            registerTimestamp: string;
                            /** @description Account that registered the schema. */
                            registrant: string;
                            /** @description Contract that is called at each attestation; all zeros without one. */
                            resolver: string;
                            /** @description Whether attestations under the schema can be revoked. */
                            revocable: boolean;
                            /** @description Local id of the schema. */
                            schemaId: string;
                            /** @description When the record was indexed, in Unix milliseconds. */
                            syncAt: string;
                            /** @description Transaction that created the record. */
                            transactionHash: string;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            chains: {
                                anchorCounts: {
                                    [key: string]: number;
                                };
                                attestationCount: number;
                                chainId: string;
                                eventsPerSecond: number;
                                explorer: null | {
                                    /**
                                     * @description An address goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    address: string;
                                    /**
                                     * @description A block number goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    block: string;
                                    /**
                                     * @description A transaction hash goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    transaction: string;
                                };
                                fieldsPending: number;
                                headBlock: null | number;
                                headTimestamp: null | number;
                                indexedBlock: null | number;
                                indexedTimestamp: null | number;
                                lastError: null | string;
                                name: string;
                                /** @enum {string} */
                                phase: "following" | "starting" | "backfilling" | "retrying" | "stopped" | "paused";
                                protocols: string[];
                                reachedHead: boolean;
                                revocationCount: number;
                                schemaCount: number;
                                undecodableCount: number;
                                updatedAt: null | number;
                            }[];
                            /** @constant */
                            status: "ready";
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAddressesByAddressActivity: {
        parameters: {
            query?: {
                /**
                 * @description Day before which the series ends, in UTC.
                 * @example 2024-06-10
                 */
                before?: string;
                /**
                 * @description First day of the series, in UTC.
                 * @example 2024-06-10
                 */
                from?: string;
            };
            header?: never;
            path: {
                /** @description Address of an account, in any case; its checksum is not looked at. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Counts by day. */
                        data: {
                            /** @description Oldest first; days on which nothing happened are left out. */
                            rows: {
                                /** @description Attestations that the address made. */
                                attestationCreated: number;
                                /** @description Attestations that the address received. */
                                attestationReceived: number;
                                /** @description A day, in UTC. */
                                date: string;
                                /** @description Schemas that the address registered on that day. */
                                schemaCreated: number;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAddressesByAddressAnchors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Address of an account, in any case; its checksum is not looked at. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Off-chain anchors that an address made. */
                        data: {
                            /** @description By number of the chain, then by event. */
                            rows: {
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /** @description Anchors that the address made. */
                                count: number;
                                /**
                                 * @description Name of the event.
                                 * @example Timestamped
                                 */
                                event: string;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAddressesByAddressAttestations: {
        parameters: {
            query?: {
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description `decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. */
                include?: "decoded";
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. */
                page?: number;
                /**
                 * @description Composite id of a schema, or its local id (`0x…`), which counts on every chain unless `chainId` narrows it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Rows on a page. */
                size?: number;
                /** @description `created`: only attestations that the address made; `received`: only attestations that it received. */
                type?: "created" | "received";
            };
            header?: never;
            path: {
                /** @description Address of an account, in any case; its checksum is not looked at. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A page. */
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The payload; `0x` if empty. */
                                data: string;
                                /**
                                 * @description Where the payload is kept.
                                 * @enum {string}
                                 */
                                dataLocation: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /**
                                 * @description Always this value.
                                 * @constant
                                 */
                                extra: "{}";
                                /** @description Composite id of the schema. */
                                fullSchemaId: string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /** @description The indexing value, unchanged; may be empty. */
                                indexingValue: string;
                                /** @description When the indexer last changed the record (a revocation); null if it never did. */
                                lastSyncAt: null | string;
                                /** @description Composite id of the attestation that this one refers to; empty without one. */
                                linkedAttestation: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Whether it was revoked. */
                                revoked: boolean;
                                /** @description Reason of the revocation, empty without one; null unless revoked. */
                                revokeReason: null | string;
                                /** @description Time of the revocation; null unless revoked. */
                                revokeTimestamp: null | string;
                                /** @description Transaction of the revocation; empty unless revoked. */
                                revokeTransactionHash: string;
                                /** @description Its schema. */
                                schema: {
                                    /** @description May be empty. */
                                    description: string;
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description When the record was indexed, in Unix milliseconds. */
                                syncAt: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                                /** @description Until when it is valid, in Unix seconds; 0: for ever; a uint64. */
                                validUntil: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAddressesByAddressSchemas: {
        parameters: {
            query?: {
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. */
                page?: number;
                /** @description Rows on a page. */
                size?: number;
            };
            header?: never;
            path: {
                /** @description Address of an account, in any case; its checksum is not looked at. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A page. */
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Always this value. */
                                extra: null;
                                /** @description Composite id of the schema. */
                                id: string;
                                /** @description Seconds that an attestation may stay valid, 0 for ever; a uint64. */
                                maxValidFor: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Time of the registration, in Unix seconds. */
                                registerTimestamp: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Contract that is called at each attestation; all zeros without one. */
                                resolver: string;
                                /** @description Whether attestations under the schema can be revoked. */
                                revocable: boolean;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description When the record was indexed, in Unix milliseconds. */
                                syncAt: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAddressesByAddressStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Address of an account, in any case; its checksum is not looked at. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The numbers of an address. */
                        data: {
                            /** @description Attestations that the address made. */
                            attestationCreated: number;
                            /** @description Attestations that the address received. */
                            attestationReceived: number;
                            /** @description Schemas that the address registered. */
                            schemaCreated: number;
                            /** @description Distinct attestations that the address made or received. */
                            totalAttestations: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAggregateAttestations: {
        parameters: {
            query: {
                /** @description Only attestations made before that time. Unix seconds. */
                attestedBefore?: number;
                /** @description Only attestations made at that time or later. Unix seconds. */
                attestedFrom?: number;
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Composite id of a schema: only attestations of which the attester holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                attesterHolds?: string;
                /**
                 * @description With `attesterHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "attesterHolds[attester]"?: string;
                /** @description The key that attestations are counted by: schema, attester, recipient, chain, protocol, revoked, day, month, or `field[name]` with `schemaId`. */
                by: string;
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description Only attestations whose payload is kept there. */
                dataLocation?: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                /** @description Only attestations whose `validUntil` has passed, or has not, by the clock of the server. */
                expired?: boolean;
                /** @description Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, `field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; equality and `in` also work without it. */
                field?: {
                    [key: string]: string | {
                        /** @description A string that contains this text. */
                        contains?: string;
                        /** @description An integer greater than this one. */
                        gt?: string;
                        /** @description An integer not less than this one. */
                        gte?: string;
                        /** @description Equals one of these values; sent as a JSON array. */
                        in?: string[];
                        /** @description An integer less than this one. */
                        lt?: string;
                        /** @description An integer not greater than this one. */
                        lte?: string;
                        /** @description A string that begins with this text. */
                        startsWith?: string;
                    };
                };
                /** @description Only attestations with exactly this indexing value; hexadecimal in any case. */
                indexingValue?: string;
                /**
                 * @description Composite id of an attestation: only those that refer to it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                linkedAttestation?: string;
                /**
                 * @description Only attestations that refer to one of these attestations. A JSON array of 1 to 100 composite ids. Unknown ones pass nothing.
                 * @example ["onchain_evm_11155111_0x1a"]
                 */
                "linkedAttestation[in]"?: string;
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. */
                page?: number;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations of which a recipient holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                recipientHolds?: string;
                /**
                 * @description With `recipientHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "recipientHolds[attester]"?: string;
                /** @description Only attestations that were revoked, or that were not. */
                revoked?: boolean;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Rows on a page. */
                size?: number;
                /** @description Only attestations that were valid at a time: made by then, not expired and not revoked. Unix seconds. */
                validAt?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A page of groups. */
                        data: {
                            /** @description Keys that these attestations have. */
                            groups: number;
                            /** @description Number of this page. */
                            page: number;
                            /** @description By count, greatest first, then by key; days and months newest first. */
                            rows: {
                                /** @description Attestations with the key. */
                                count: number;
                                /**
                                 * @description A composite id, a checksummed address or another recipient, a number or name, a day or month, a value of a field.
                                 * @example 2024-06-10
                                 */
                                key: string;
                            }[];
                            /** @description Rows of a full page. */
                            size: number;
                            /** @description Attestations that pass the filters. */
                            total: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAnchors: {
        parameters: {
            query?: {
                /**
                 * @description Only anchors that this account is known to have made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                account?: string;
                /**
                 * @description Walks the listing instead of paging it: `*` from the beginning, then `nextCursor` of each answer, until that is null. A step costs the same at any depth, and no row repeats or is missed while others are added.
                 * @example *
                 */
                cursor?: string;
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. 1 by default; not together with `cursor`. */
                page?: number;
                /** @description Rows on a page. */
                size?: number;
                /**
                 * @description Only anchors by the event of this name. An unknown value gives an empty page.
                 * @example Timestamped
                 */
                type?: string;
                /** @description Only anchors of this value: a uid or another hash, in any case, or an id of Sign Protocol, exactly. */
                value?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Account that made it; null where the event names nobody. */
                                account: string | null;
                                /** @description Number of its block. */
                                blockNumber: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description Name of the protocol.
                                 * @example eas
                                 */
                                protocol: string;
                                /** @description Of a revocation; empty where the event has none. */
                                reason: string;
                                /** @description Time of its block, in Unix seconds. */
                                timestamp: number;
                                /** @description Transaction that made it. */
                                transactionHash: string;
                                /**
                                 * @description Name of the event in the protocol's contract.
                                 * @example Timestamped
                                 */
                                type: string;
                                /** @description The uid, hash or id that was anchored. */
                                value: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        } | {
                            /**
                             * @description The `cursor` of the next step; null at the end.
                             * @example MTcxODAwMDAwMC4xMTE1NTExMS4xMDQ4NTc2
                             */
                            nextCursor: string | null;
                            /** @description The next rows; there may be fewer than `size`. */
                            rows: {
                                /** @description Account that made it; null where the event names nobody. */
                                account: string | null;
                                /** @description Number of its block. */
                                blockNumber: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description Name of the protocol.
                                 * @example eas
                                 */
                                protocol: string;
                                /** @description Of a revocation; empty where the event has none. */
                                reason: string;
                                /** @description Time of its block, in Unix seconds. */
                                timestamp: number;
                                /** @description Transaction that made it. */
                                transactionHash: string;
                                /**
                                 * @description Name of the event in the protocol's contract.
                                 * @example Timestamped
                                 */
                                type: string;
                                /** @description The uid, hash or id that was anchored. */
                                value: string;
                            }[];
                            /** @description Most rows of a step. */
                            size: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAttestations: {
        parameters: {
            query?: {
                /** @description Only attestations made before that time. Unix seconds. */
                attestedBefore?: number;
                /** @description Only attestations made at that time or later. Unix seconds. */
                attestedFrom?: number;
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Composite id of a schema: only attestations of which the attester holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                attesterHolds?: string;
                /**
                 * @description With `attesterHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "attesterHolds[attester]"?: string;
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /**
                 * @description Walks the listing instead of paging it: `*` from the beginning, then `nextCursor` of each answer, until that is null. A step costs the same at any depth, and no row repeats or is missed while others are added.
                 * @example *
                 */
                cursor?: string;
                /** @description Only attestations whose payload is kept there. */
                dataLocation?: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                /** @description Only attestations whose `validUntil` has passed, or has not, by the clock of the server. */
                expired?: boolean;
                /** @description Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, `field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; equality and `in` also work without it. */
                field?: {
                    [key: string]: string | {
                        /** @description A string that contains this text. */
                        contains?: string;
                        /** @description An integer greater than this one. */
                        gt?: string;
                        /** @description An integer not less than this one. */
                        gte?: string;
                        /** @description Equals one of these values; sent as a JSON array. */
                        in?: string[];
                        /** @description An integer less than this one. */
                        lt?: string;
                        /** @description An integer not greater than this one. */
                        lte?: string;
                        /** @description A string that begins with this text. */
                        startsWith?: string;
                    };
                };
                /** @description `detail`: each row carries a summary of its schema. */
                fields?: "detail";
                /** @description `decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. */
                include?: "decoded";
                /** @description Only attestations with exactly this indexing value; hexadecimal in any case. */
                indexingValue?: string;
                /** @description Only attestations that it finds: an attestation id, a transaction hash, the address of an attester or recipient, or exactly an indexing value or a recipient that is no address. Combines with `schemaId`, with no other filter. */
                keyword?: string;
                /**
                 * @description Composite id of an attestation: only those that refer to it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                linkedAttestation?: string;
                /**
                 * @description Only attestations that refer to one of these attestations. A JSON array of 1 to 100 composite ids. Unknown ones pass nothing.
                 * @example ["onchain_evm_11155111_0x1a"]
                 */
                "linkedAttestation[in]"?: string;
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. 1 by default; not together with `cursor`. */
                page?: number;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations of which a recipient holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                recipientHolds?: string;
                /**
                 * @description With `recipientHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "recipientHolds[attester]"?: string;
                /** @description Only attestations that were revoked, or that were not. */
                revoked?: boolean;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Rows on a page. */
                size?: number;
                /** @description Only attestations that were valid at a time: made by then, not expired and not revoked. Unix seconds. */
                validAt?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        } | {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Its schema. */
                                schema: {
                                    /** @description Decimal number of the chain. */
                                    chainId: string;
                                    /**
                                     * @description The kind of chain.
                                     * @constant
                                     */
                                    chainType: "evm";
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        } | {
                            /**
                             * @description The `cursor` of the next step; null at the end.
                             * @example MTcxODAwMDAwMC4xMTE1NTExMS4xMDQ4NTc2
                             */
                            nextCursor: string | null;
                            /** @description The next rows; there may be fewer than `size`. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                            /** @description Most rows of a step. */
                            size: number;
                        } | {
                            /**
                             * @description The `cursor` of the next step; null at the end.
                             * @example MTcxODAwMDAwMC4xMTE1NTExMS4xMDQ4NTc2
                             */
                            nextCursor: string | null;
                            /** @description The next rows; there may be fewer than `size`. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Its schema. */
                                schema: {
                                    /** @description Decimal number of the chain. */
                                    chainId: string;
                                    /**
                                     * @description The kind of chain.
                                     * @constant
                                     */
                                    chainType: "evm";
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                            /** @description Most rows of a step. */
                            size: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAttestationsById: {
        parameters: {
            query?: {
                /** @description `decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. */
                include?: "decoded";
                /** @description Seconds for which the answer waits where the record is not indexed yet: it comes as soon as the record is, or is the 404 when the time is over. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Composite id of the attestation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description An attestation. */
                        data: {
                            /** @description Local id of the attestation. */
                            attestationId: string;
                            /** @description Account that attests. */
                            attester: string;
                            /** @description When it was made, in Unix seconds. */
                            attestTimestamp: string;
                            /** @description Decimal number of the chain. */
                            chainId: string;
                            /**
                             * @description The kind of chain.
                             * @constant
                             */
                            chainType: "evm";
                            /** @description The payload; `0x` if empty. */
                            data: string;
                            /**
                             * @description Where the payload is kept.
                             * @enum {string}
                             */
                            dataLocation: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                            /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                            decodedData?: {
                                /** @description Name of the field in the schema. */
                                name: string;
                                /** @description In the spelling of the schema. */
                                type: string;
                                /**
                                 * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                 * @example 42
                                 */
                                value: unknown;
                            }[] | null;
                            /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                            decodedDataError?: null | string;
                            /** @description Composite id of the schema. */
                            fullSchemaId: string;
                            /** @description Composite id of the attestation. */
                            id: string;
                            /** @description The indexing value, unchanged; may be empty. */
                            indexingValue: string;
                            /** @description Composite id of the attestation that this one refers to; empty without one. */
                            linkedAttestation: string;
                            /**
                             * @description Where the record lives.
                             * @constant
                             */
                            mode: "onchain";
                            /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                            recipients: string[];
                            /** @description Whether it was revoked. */
                            revoked: boolean;
                            /** @description Reason of the revocation, empty without one; null unless revoked. */
                            revokeReason: null | string;
                            /** @description Time of the revocation; null unless revoked. */
                            revokeTimestamp: null | string;
                            /** @description Transaction of the revocation; empty unless revoked. */
                            revokeTransactionHash: string;
                            /** @description Its schema. */
                            schema: {
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description Composite id of the schema. */
                                id: string;
                                /** @description May be empty. */
                                name: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                            };
                            /** @description Local id of the schema. */
                            schemaId: string;
                            /** @description Transaction that created the record. */
                            transactionHash: string;
                            /** @description Until when it is valid, in Unix seconds; 0: for ever; a uint64. */
                            validUntil: string;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAttestationsByIdProof: {
        parameters: {
            query?: {
                /** @description The event to prove: the creation (the default) or the revocation. */
                event?: "attestation" | "revocation";
            };
            header?: never;
            path: {
                /** @description Composite id of the attestation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A proof of an event of a record. */
                        data: {
                            /** @description The block that holds the event. */
                            block: {
                                /** @description Hash of the block: the hash of headerRlp. */
                                hash: string;
                                /**
                                 * @description Its header as it is hashed.
                                 * @example 0xf90262a0
                                 */
                                headerRlp: string;
                                /** @description Number of the block. */
                                number: number;
                                /** @description Hash of the previous block. */
                                parentHash: string;
                                /** @description Root of the trie of its receipts. */
                                receiptsRoot: string;
                                /** @description Time of the block, in Unix seconds. */
                                timestamp: number;
                            };
                            /**
                             * @description The event: a schema was registered, an attestation made, or an attestation revoked.
                             * @enum {string}
                             */
                            event: "schema" | "attestation" | "revocation";
                            /**
                             * @description The name of the format.
                             * @constant
                             */
                            format: "attestry-proof";
                            /** @description Composite id of the record. No block states its chain. */
                            id: string;
                            /** @description The log. */
                            log: {
                                /** @description The contract that emitted the log. */
                                address: string;
                                /**
                                 * @description Its data.
                                 * @example 0xf90262a0
                                 */
                                data: string;
                                /** @description Topics of the log; the first names the event. */
                                topics: string[];
                            };
                            /** @description Index of the log in the block, from 0. The proof does not cover it. */
                            logIndex: number;
                            /**
                             * @description Name of the protocol.
                             * @example sign
                             */
                            protocol: string;
                            /** @description Index of the log in the receipt, from 0. */
                            receiptLogIndex: number;
                            /** @description The nodes from the root to the receipt. */
                            receiptProof: string[];
                            /** @description Index of the transaction in the block, from 0: the key of its receipt. */
                            transactionIndex: number;
                            /**
                             * @description The version of the format.
                             * @constant
                             */
                            version: 1;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanAttestationsByIds: {
        parameters: {
            query: {
                /** @description Attestations to answer. 1 to 100 composite ids, separated by commas. */
                ids: string;
                /** @description `decoded`: each attestation carries `decodedData`, its payload decoded by the fields of its schema, or null with the reason in `decodedDataError`. One answer decodes a bounded amount; rows beyond that amount say so. */
                include?: "decoded";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The records of a list of ids. */
                        data: {
                            /** @description One for each id, in the order of the ids; null for an id that is not indexed. */
                            rows: ({
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The payload; `0x` if empty. */
                                data: string;
                                /**
                                 * @description Where the payload is kept.
                                 * @enum {string}
                                 */
                                dataLocation: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the schema. */
                                fullSchemaId: string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /** @description The indexing value, unchanged; may be empty. */
                                indexingValue: string;
                                /** @description Composite id of the attestation that this one refers to; empty without one. */
                                linkedAttestation: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Whether it was revoked. */
                                revoked: boolean;
                                /** @description Reason of the revocation, empty without one; null unless revoked. */
                                revokeReason: null | string;
                                /** @description Time of the revocation; null unless revoked. */
                                revokeTimestamp: null | string;
                                /** @description Transaction of the revocation; empty unless revoked. */
                                revokeTransactionHash: string;
                                /** @description Its schema. */
                                schema: {
                                    /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                    data: {
                                        /** @description Empty if the schema has no name for the field. */
                                        name: string;
                                        /** @description In the spelling of the schema. */
                                        type: string;
                                    }[];
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                                /** @description Until when it is valid, in Unix seconds; 0: for ever; a uint64. */
                                validUntil: string;
                            } | null)[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postScanAttestationsStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Composite ids of attestations. */
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The status of attestations. */
                        data: {
                            /** @description Every chain, by number, in the state of the index that the rows are of. */
                            chains: {
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /** @description The newest block whose events are in the index; null before any is. */
                                indexedBlock: number | null;
                                /** @description Its time, in Unix seconds. */
                                indexedTimestamp: number | null;
                            }[];
                            /** @description One for each id, in the order of the ids. */
                            rows: {
                                /**
                                 * @description As it was sent.
                                 * @example onchain_evm_11155111_0x1a
                                 */
                                id: string;
                                /**
                                 * @description Revoked goes before expired; unknown: not indexed.
                                 * @enum {string}
                                 */
                                status: "valid" | "revoked" | "expired" | "unknown";
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLong"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanChains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The chains and their freshness. */
                        data: {
                            /** @description Every chain of the index, by number. */
                            rows: {
                                /** @description Attestations, revoked ones too. */
                                attestationCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /** @description The block explorer of the chain; null if none is known. */
                                explorer: {
                                    /**
                                     * @description An address goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    address: string;
                                    /**
                                     * @description A block number goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    block: string;
                                    /**
                                     * @description A transaction hash goes behind it.
                                     * @example https://sepolia.etherscan.io/tx/
                                     */
                                    transaction: string;
                                } | null;
                                /** @description The newest block that an endpoint reported; null before any did. */
                                headBlock: number | null;
                                /** @description Time of the block, in Unix seconds. */
                                headTimestamp: number | null;
                                /** @description The newest block whose events are in the index; null before any is. */
                                indexedBlock: number | null;
                                /** @description Time of the block, in Unix seconds. */
                                indexedTimestamp: number | null;
                                /** @description The current error, in a sentence; null without one. */
                                lastError: string | null;
                                /** @description Name in the configuration. */
                                name: string;
                                /** @description Off-chain anchors by event; they are not records. */
                                offchainAnchors: {
                                    /** @description Number of anchors. */
                                    count: number;
                                    /**
                                     * @description Name of the event.
                                     * @example Timestamped
                                     */
                                    event: string;
                                }[];
                                /**
                                 * @description The activity of its indexer.
                                 * @enum {string}
                                 */
                                phase: "starting" | "backfilling" | "following" | "retrying" | "stopped" | "paused";
                                /** @description Names of the protocols that are indexed on it. */
                                protocols: string[];
                                /** @description Attestations that were revoked. */
                                revocationCount: number;
                                /** @description Schemas. */
                                schemaCount: number;
                                /** @description For how long the chain may have gone on without the index: since the indexer last found itself at the head, or else since the indexed block; null where neither is known. */
                                secondsBehind: number | null;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, `field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; equality and `in` also work without it. */
                field?: {
                    [key: string]: string | {
                        /** @description A string that contains this text. */
                        contains?: string;
                        /** @description An integer greater than this one. */
                        gt?: string;
                        /** @description An integer not less than this one. */
                        gte?: string;
                        /** @description Equals one of these values; sent as a JSON array. */
                        in?: string[];
                        /** @description An integer less than this one. */
                        lt?: string;
                        /** @description An integer not greater than this one. */
                        lte?: string;
                        /** @description A string that begins with this text. */
                        startsWith?: string;
                    };
                };
                /**
                 * @description The id of the last event that was read: the stream continues behind it. The header `Last-Event-ID` takes precedence.
                 * @example 1764000000000-0
                 */
                lastEventId?: string;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events `attestation` and `revocation` (the attestation in the form of its own path), `schema` (likewise), `anchor` (an off-chain anchor, as a row of `/scan/anchors`), `revert` (a reorganisation took back the attestation, schema, revocation or anchor that `record` names) and `reset` (events are missing: read the records anew). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanExportAttestationsCsv: {
        parameters: {
            query?: {
                /** @description Only attestations made before that time. Unix seconds. */
                attestedBefore?: number;
                /** @description Only attestations made at that time or later. Unix seconds. */
                attestedFrom?: number;
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Composite id of a schema: only attestations of which the attester holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                attesterHolds?: string;
                /**
                 * @description With `attesterHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "attesterHolds[attester]"?: string;
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description Only attestations whose payload is kept there. */
                dataLocation?: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                /** @description Only attestations whose `validUntil` has passed, or has not, by the clock of the server. */
                expired?: boolean;
                /** @description Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, `field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; equality and `in` also work without it. */
                field?: {
                    [key: string]: string | {
                        /** @description A string that contains this text. */
                        contains?: string;
                        /** @description An integer greater than this one. */
                        gt?: string;
                        /** @description An integer not less than this one. */
                        gte?: string;
                        /** @description Equals one of these values; sent as a JSON array. */
                        in?: string[];
                        /** @description An integer less than this one. */
                        lt?: string;
                        /** @description An integer not greater than this one. */
                        lte?: string;
                        /** @description A string that begins with this text. */
                        startsWith?: string;
                    };
                };
                /** @description Only attestations with exactly this indexing value; hexadecimal in any case. */
                indexingValue?: string;
                /**
                 * @description Composite id of an attestation: only those that refer to it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                linkedAttestation?: string;
                /**
                 * @description Only attestations that refer to one of these attestations. A JSON array of 1 to 100 composite ids. Unknown ones pass nothing.
                 * @example ["onchain_evm_11155111_0x1a"]
                 */
                "linkedAttestation[in]"?: string;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations of which a recipient holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                recipientHolds?: string;
                /**
                 * @description With `recipientHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "recipientHolds[attester]"?: string;
                /** @description Only attestations that were revoked, or that were not. */
                revoked?: boolean;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Only attestations that were valid at a time: made by then, not expired and not revoked. Unix seconds. */
                validAt?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. If the index cannot be read to its end, the connection is broken off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanExportAttestationsNdjson: {
        parameters: {
            query?: {
                /** @description Only attestations made before that time. Unix seconds. */
                attestedBefore?: number;
                /** @description Only attestations made at that time or later. Unix seconds. */
                attestedFrom?: number;
                /**
                 * @description Only attestations that this account made. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                attester?: string;
                /**
                 * @description Composite id of a schema: only attestations of which the attester holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                attesterHolds?: string;
                /**
                 * @description With `attesterHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "attesterHolds[attester]"?: string;
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description Only attestations whose payload is kept there. */
                dataLocation?: "ONCHAIN" | "ARWEAVE" | "IPFS" | "CUSTOM";
                /** @description Only attestations whose `validUntil` has passed, or has not, by the clock of the server. */
                expired?: boolean;
                /** @description Only attestations whose decoded payload has such a value: `field[country]=FR`, `field[level][gte]=2`, `field[city][in]=["Lisbon","Kyiv"]`. Members of a tuple follow dots (`person.name`), arrays are looked into, and a backslash stands before a dot, bracket or backslash of a name. `schemaId` says whose fields they are; equality and `in` also work without it. */
                field?: {
                    [key: string]: string | {
                        /** @description A string that contains this text. */
                        contains?: string;
                        /** @description An integer greater than this one. */
                        gt?: string;
                        /** @description An integer not less than this one. */
                        gte?: string;
                        /** @description Equals one of these values; sent as a JSON array. */
                        in?: string[];
                        /** @description An integer less than this one. */
                        lt?: string;
                        /** @description An integer not greater than this one. */
                        lte?: string;
                        /** @description A string that begins with this text. */
                        startsWith?: string;
                    };
                };
                /** @description Only attestations with exactly this indexing value; hexadecimal in any case. */
                indexingValue?: string;
                /**
                 * @description Composite id of an attestation: only those that refer to it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                linkedAttestation?: string;
                /**
                 * @description Only attestations that refer to one of these attestations. A JSON array of 1 to 100 composite ids. Unknown ones pass nothing.
                 * @example ["onchain_evm_11155111_0x1a"]
                 */
                "linkedAttestation[in]"?: string;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address. */
                recipient?: string;
                /**
                 * @description Composite id of a schema: only attestations of which a recipient holds a valid attestation under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                recipientHolds?: string;
                /**
                 * @description With `recipientHolds`: held from this account. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                "recipientHolds[attester]"?: string;
                /** @description Only attestations that were revoked, or that were not. */
                revoked?: boolean;
                /**
                 * @description Composite id of a schema: only attestations made under it. An unknown value gives an empty page.
                 * @example onchain_evm_11155111_0x1a
                 */
                schemaId?: string;
                /** @description Only attestations that were valid at a time: made by then, not expired and not revoked. Unix seconds. */
                validAt?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. If the index cannot be read to its end, the connection is broken off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        attestationId: unknown;
                        attester: unknown;
                        attestTimestamp: unknown;
                        chainId: unknown;
                        data: unknown;
                        dataLocation: unknown;
                        fullSchemaId: unknown;
                        id: unknown;
                        indexingValue: unknown;
                        lastSyncAt: unknown;
                        linkedAttestation: unknown;
                        protocol: unknown;
                        recipients: unknown;
                        revocable: unknown;
                        revoked: unknown;
                        revokeReason: unknown;
                        revokeTimestamp: unknown;
                        revokeTransactionHash: unknown;
                        syncAt: unknown;
                        transactionHash: unknown;
                        validUntil: unknown;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanExportSchemasCsv: {
        parameters: {
            query?: {
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only schemas registered before that time. Unix seconds. */
                registeredBefore?: number;
                /** @description Only schemas registered at that time or later. Unix seconds. */
                registeredFrom?: number;
                /**
                 * @description Only schemas that this account registered. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                registrant?: string;
                /**
                 * @description Only schemas with this resolver; all zeros: schemas without a resolver. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                resolver?: string;
                /** @description Only schemas whose attestations can be revoked, or cannot. */
                revocable?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. If the index cannot be read to its end, the connection is broken off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanExportSchemasNdjson: {
        parameters: {
            query?: {
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only schemas registered before that time. Unix seconds. */
                registeredBefore?: number;
                /** @description Only schemas registered at that time or later. Unix seconds. */
                registeredFrom?: number;
                /**
                 * @description Only schemas that this account registered. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                registrant?: string;
                /**
                 * @description Only schemas with this resolver; all zeros: schemas without a resolver. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                resolver?: string;
                /** @description Only schemas whose attestations can be revoked, or cannot. */
                revocable?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. If the index cannot be read to its end, the connection is broken off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": {
                        attestationCount: unknown;
                        attesterCount: unknown;
                        chainId: unknown;
                        data: unknown;
                        description: unknown;
                        id: unknown;
                        maxValidFor: unknown;
                        name: unknown;
                        originalData: unknown;
                        protocol: unknown;
                        registerTimestamp: unknown;
                        registrant: unknown;
                        resolver: unknown;
                        revocable: unknown;
                        schemaId: unknown;
                        syncAt: unknown;
                        transactionHash: unknown;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postScanHolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Addresses, in any case; their checksums are not looked at. */
                    addresses: string[];
                    /** @description Only attestations that this account made; null: by anyone. */
                    attester?: string | null;
                    /** @description Composite id of the schema. */
                    schemaId: string;
                    /** @description Valid at that time, in Unix seconds; null, or without it: valid now. */
                    validAt?: number | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The holders among some addresses. */
                        data: {
                            /** @description One for each address, in the order of the addresses. */
                            rows: {
                                /**
                                 * @description As it was sent.
                                 * @example 0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5
                                 */
                                address: string;
                                /** @description The newest valid attestation that names the address as a recipient; null for none. */
                                attestation: string | null;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLong"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanLatestAttestations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A list. */
                        data: {
                            /** @description The rows, best first. */
                            rows: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Its schema. */
                                schema: {
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                };
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postScanOffchainVerify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What is known of an off-chain attestation. */
                        data: {
                            /** @description Chain that was signed; null with Sign Protocol. */
                            chainId: string | null;
                            /** @description Every check, also of an input that cannot be read. */
                            checks: {
                                /** @description What was found, in a sentence. */
                                message: string;
                                /**
                                 * @description What was checked.
                                 * @enum {string}
                                 */
                                name: "format" | "uid" | "domain" | "signature" | "schema" | "payload" | "expiry" | "revocation";
                                /** @description Whether it passed. */
                                ok: boolean;
                            }[];
                            /** @description The payload by the fields of its schema, or the members of Sign Protocol's JSON; null if it cannot be decoded. */
                            decodedData: {
                                /** @description Name of the field in the schema. */
                                name: string;
                                /** @description In the spelling of the schema. */
                                type: string;
                                /**
                                 * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                 * @example 42
                                 */
                                value: unknown;
                            }[] | null;
                            /** @description Why `decodedData` is null. */
                            decodedDataError: string | null;
                            /** @description When it expires, in Unix seconds; 0: never. */
                            expirationTime: string | null;
                            /** @description Whether `expirationTime` is in the past. */
                            expired: boolean;
                            /** @description Local id of the attestation that it refers to. */
                            linkedAttestation: string | null;
                            /** @description Null where the input cannot be read. */
                            protocol: ("eas" | "sign") | null;
                            /** @description Its recipient; null without one, or with several. */
                            recipient: string | null;
                            /** @description All its recipients. */
                            recipients: string[];
                            /** @description When its signer revoked it on its chain, in Unix seconds. */
                            revokedAt: number | null;
                            /** @description Local id of its schema, or Sign Protocol's id. */
                            schemaId: string | null;
                            /** @description Account that is said to have signed it. */
                            signer: string | null;
                            /** @description When it was made, as the signer claims, in Unix seconds. */
                            time: string | null;
                            /** @description When its uid was first anchored on its chain, in Unix seconds. */
                            timestampedAt: number | null;
                            /** @description Uid of the attestation; null with Sign Protocol. */
                            uid: string | null;
                            /** @description Whether every check is ok. */
                            valid: boolean;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLong"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    postScanOffchainVerifyPrivate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Composite id of the attestation that holds the root. */
                    attestationId: string;
                    /** @description A multiproof of `PrivateData` of EAS's SDK. */
                    proof: {
                        /** @description The values that are revealed. */
                        leaves: {
                            name: string;
                            salt: string;
                            type: string;
                            value: unknown;
                        }[];
                        proof: string[];
                        proofFlags: boolean[];
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What a proof of private data shows. */
                        data: {
                            /** @description Every check. */
                            checks: {
                                /** @description What was found, in a sentence. */
                                message: string;
                                /**
                                 * @description What was checked.
                                 * @enum {string}
                                 */
                                name: "format" | "root" | "proof" | "expiry" | "revocation";
                                /** @description Whether it passed. */
                                ok: boolean;
                            }[];
                            /** @description The values that the proof reveals; proven only where `valid` is true. */
                            revealed: {
                                /** @description As it was sent. */
                                name: string;
                                /** @description A type of Solidity, as it was sent. */
                                type: string;
                                /**
                                 * @description As it was sent.
                                 * @example Ada
                                 */
                                value: unknown;
                            }[];
                            /** @description The root that the attestation holds; null where it holds none. */
                            root: string | null;
                            /** @description Whether every check is ok. */
                            valid: boolean;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["BodyTooLong"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSchemas: {
        parameters: {
            query?: {
                /**
                 * @description Decimal chain number: only records of that chain. An unknown value gives an empty page.
                 * @example 11155111
                 */
                chainId?: string;
                /**
                 * @description Walks the listing instead of paging it: `*` from the beginning, then `nextCursor` of each answer, until that is null. A step costs the same at any depth, and no row repeats or is missed while others are added.
                 * @example *
                 */
                cursor?: string;
                /** @description Only schemas that it finds: part of a name or description, a schema id, a transaction hash, or the address of a registrant or resolver. Does not combine with other filters. */
                keyword?: string;
                /** @description Number of the page, from 1. 0 is read as 1. A page past the end has no rows. 1 by default; not together with `cursor`. */
                page?: number;
                /**
                 * @description Only records of this protocol, as `/scan/chains` names it. An unknown value gives an empty page.
                 * @example sign
                 */
                protocol?: string;
                /** @description Only schemas registered before that time. Unix seconds. */
                registeredBefore?: number;
                /** @description Only schemas registered at that time or later. Unix seconds. */
                registeredFrom?: number;
                /**
                 * @description Only schemas that this account registered. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                registrant?: string;
                /**
                 * @description Only schemas with this resolver; all zeros: schemas without a resolver. In any case; its checksum is not looked at.
                 * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
                 */
                resolver?: string;
                /** @description Only schemas whose attestations can be revoked, or cannot. */
                revocable?: boolean;
                /** @description Rows on a page. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description Number of this page. */
                            page: number;
                            /** @description The rows of this page. */
                            rows: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Distinct attesters of these attestations. */
                                attesterCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                            /** @description Rows on a page. */
                            size: number;
                            /** @description All matches, on all pages. */
                            total: number;
                        } | {
                            /**
                             * @description The `cursor` of the next step; null at the end.
                             * @example MTcxODAwMDAwMC4xMTE1NTExMS4xMDQ4NTc2
                             */
                            nextCursor: string | null;
                            /** @description The next rows; there may be fewer than `size`. */
                            rows: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Distinct attesters of these attestations. */
                                attesterCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                            /** @description Most rows of a step. */
                            size: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSchemasById: {
        parameters: {
            query?: {
                /** @description Seconds for which the answer waits where the record is not indexed yet: it comes as soon as the record is, or is the 404 when the time is over. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Composite id of the schema. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A schema. */
                        data: {
                            /** @description Decimal number of the chain. */
                            chainId: string;
                            /**
                             * @description The kind of chain.
                             * @constant
                             */
                            chainType: "evm";
                            /** @description The fields of attestations under the schema; empty if its text has no known form. */
                            data: {
                                /** @description Empty if the schema has no name for the field. */
                                name: string;
                                /** @description In the spelling of the schema. */
                                type: string;
                            }[];
                            /** @description May be empty. */
                            description: string;
                            /** @description Composite id of the schema. */
                            id: string;
                            /** @description The longest validity of an attestation in seconds, 0 without limit; the double nearest to the uint64. */
                            maxValidFor: number;
                            /**
                             * @description Where the record lives.
                             * @constant
                             */
                            mode: "onchain";
                            /** @description May be empty. */
                            name: string;
                            /** @description Time of the registration, in Unix seconds. */
                            registerTimestamp: number;
                            /** @description Account that registered the schema. */
                            registrant: string;
                            /** @description Whether attestations under the schema can be revoked. */
                            revocable: boolean;
                            /** @description Local id of the schema. */
                            schemaId: string;
                            /** @description Transaction that created the record. */
                            transactionHash: string;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSchemasByIdActivity: {
        parameters: {
            query?: {
                /**
                 * @description Day before which the series ends, in UTC.
                 * @example 2024-06-10
                 */
                before?: string;
                /**
                 * @description First day of the series, in UTC.
                 * @example 2024-06-10
                 */
                from?: string;
            };
            header?: never;
            path: {
                /** @description Composite id of the schema. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Counts by day. */
                        data: {
                            /** @description Oldest first; days on which nothing happened are left out. */
                            rows: {
                                /** @description Attestations made under the schema on that day. */
                                attestationCount: number;
                                /** @description A day, in UTC. */
                                date: string;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSchemasByIdProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Composite id of the schema. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A proof of an event of a record. */
                        data: {
                            /** @description The block that holds the event. */
                            block: {
                                /** @description Hash of the block: the hash of headerRlp. */
                                hash: string;
                                /**
                                 * @description Its header as it is hashed.
                                 * @example 0xf90262a0
                                 */
                                headerRlp: string;
                                /** @description Number of the block. */
                                number: number;
                                /** @description Hash of the previous block. */
                                parentHash: string;
                                /** @description Root of the trie of its receipts. */
                                receiptsRoot: string;
                                /** @description Time of the block, in Unix seconds. */
                                timestamp: number;
                            };
                            /**
                             * @description The event: a schema was registered, an attestation made, or an attestation revoked.
                             * @enum {string}
                             */
                            event: "schema" | "attestation" | "revocation";
                            /**
                             * @description The name of the format.
                             * @constant
                             */
                            format: "attestry-proof";
                            /** @description Composite id of the record. No block states its chain. */
                            id: string;
                            /** @description The log. */
                            log: {
                                /** @description The contract that emitted the log. */
                                address: string;
                                /**
                                 * @description Its data.
                                 * @example 0xf90262a0
                                 */
                                data: string;
                                /** @description Topics of the log; the first names the event. */
                                topics: string[];
                            };
                            /** @description Index of the log in the block, from 0. The proof does not cover it. */
                            logIndex: number;
                            /**
                             * @description Name of the protocol.
                             * @example sign
                             */
                            protocol: string;
                            /** @description Index of the log in the receipt, from 0. */
                            receiptLogIndex: number;
                            /** @description The nodes from the root to the receipt. */
                            receiptProof: string[];
                            /** @description Index of the transaction in the block, from 0: the key of its receipt. */
                            transactionIndex: number;
                            /**
                             * @description The version of the format.
                             * @constant
                             */
                            version: 1;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSchemasByIds: {
        parameters: {
            query: {
                /** @description Schemas to answer. 1 to 100 composite ids, separated by commas. */
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The records of a list of ids. */
                        data: {
                            /** @description One for each id, in the order of the ids; null for an id that is not indexed. */
                            rows: ({
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /** @description The longest validity of an attestation in seconds, 0 without limit; the double nearest to the uint64. */
                                maxValidFor: number;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Time of the registration, in Unix seconds. */
                                registerTimestamp: number;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Whether attestations under the schema can be revoked. */
                                revocable: boolean;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            } | null)[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanSearch: {
        parameters: {
            query?: {
                /** @description Only this group. */
                filter?: "schema" | "attestation" | "address";
                /** @description A composite id, an address, a uid or transaction hash, a local id or the beginning of one, a decimal local id, or a text: of schemas a part, of indexing values and recipients the whole. Empty: finds nothing. */
                keyword?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The result of a search. */
                        data: {
                            /** @description The groups, in the order schema, attestation, address. */
                            queryResult: ({
                                /** @description The best rows. */
                                rows: {
                                    /** @description Decimal number of the chain. */
                                    chainId: string;
                                    /**
                                     * @description The kind of chain.
                                     * @constant
                                     */
                                    chainType: "evm";
                                    /** @description May be empty. */
                                    description: string;
                                    /** @description Composite id of the schema. */
                                    id: string;
                                    /**
                                     * @description Where the record lives.
                                     * @constant
                                     */
                                    mode: "onchain";
                                    /** @description May be empty. */
                                    name: string;
                                    /** @description Account that registered the schema. */
                                    registrant: string;
                                    /** @description Local id of the schema. */
                                    schemaId: string;
                                }[];
                                /** @description All matches. */
                                total: number;
                                /**
                                 * @description Kind of the results.
                                 * @constant
                                 */
                                type: "schema";
                            } | {
                                /** @description The best rows. */
                                rows: {
                                    /** @description Local id of the attestation. */
                                    attestationId: string;
                                    /** @description Account that attests. */
                                    attester: string;
                                    /** @description Decimal number of the chain. */
                                    chainId: string;
                                    /**
                                     * @description The kind of chain.
                                     * @constant
                                     */
                                    chainType: "evm";
                                    /** @description Composite id of the attestation. */
                                    id: string;
                                    /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                    recipients: string[];
                                }[];
                                /** @description All matches. */
                                total: number;
                                /**
                                 * @description Kind of the results.
                                 * @constant
                                 */
                                type: "attestation";
                            } | {
                                /** @description The best rows. */
                                rows: {
                                    /** @description The address. */
                                    address: string;
                                    /** @description Attestations that the address made. */
                                    attestationCreated: number;
                                    /** @description Attestations that the address received. */
                                    attestationReceived: number;
                                    /** @description Schemas that the address registered. */
                                    schemaCreated: number;
                                }[];
                                /** @description All matches. */
                                total: number;
                                /**
                                 * @description Kind of the results.
                                 * @constant
                                 */
                                type: "address";
                            })[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanStats: {
        parameters: {
            query?: {
                /**
                 * @description Day before which the series ends, in UTC.
                 * @example 2024-06-10
                 */
                before?: string;
                /**
                 * @description First day of the series, in UTC.
                 * @example 2024-06-10
                 */
                from?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The totals of the index. */
                        data: {
                            /** @description Attestations, revoked ones too. */
                            attestationCount: number;
                            /** @description Oldest first; days on which nothing happened are left out. */
                            days: {
                                /** @description Attestations made on that day. */
                                attestationCount: number;
                                /** @description A day, in UTC. */
                                date: string;
                                /** @description Schemas registered on that day. */
                                schemaCount: number;
                            }[];
                            /** @description The same by chain and protocol. */
                            protocols: {
                                /** @description Attestations, revoked ones too. */
                                attestationCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /** @description Oldest first; days on which nothing happened are left out. */
                                days: {
                                    /** @description Attestations made on that day. */
                                    attestationCount: number;
                                    /** @description A day, in UTC. */
                                    date: string;
                                    /** @description Schemas registered on that day. */
                                    schemaCount: number;
                                }[];
                                /**
                                 * @description Name of the protocol.
                                 * @example sign
                                 */
                                protocol: string;
                                /** @description Attestations that were revoked. */
                                revocationCount: number;
                                /** @description Schemas. */
                                schemaCount: number;
                            }[];
                            /** @description Attestations that were revoked. */
                            revocationCount: number;
                            /** @description Schemas. */
                            schemaCount: number;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanTopSchemas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A list. */
                        data: {
                            /** @description The rows, best first. */
                            rows: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanTransactionsByHash: {
        parameters: {
            query?: {
                /**
                 * @description Decimal number of the chain, for a transaction that was sent to several; else the first of them by number counts.
                 * @example 11155111
                 */
                chainId?: string;
                /** @description Seconds for which the answer waits where the record is not indexed yet: it comes as soon as the record is, or is the 404 when the time is over. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description Hash of the transaction, in any case. */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What a transaction did, each in the order of the chain. */
                        data: {
                            /** @description Attestations that it made. */
                            attestations: {
                                /** @description Local id of the attestation. */
                                attestationId: string;
                                /** @description Account that attests. */
                                attester: string;
                                /** @description When it was made, in Unix seconds. */
                                attestTimestamp: string;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description With `include=decoded`: the payload decoded by the fields of the schema; null if it cannot be decoded. */
                                decodedData?: {
                                    /** @description Name of the field in the schema. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                    /**
                                     * @description Text, true or false, or a list; integers are decimal digits, a tuple is a list of `{name, type, value}`.
                                     * @example 42
                                     */
                                    value: unknown;
                                }[] | null;
                                /** @description With `include=decoded`: the reason why `decodedData` is null; otherwise null. */
                                decodedDataError?: null | string;
                                /** @description Composite id of the attestation. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description Checksummed addresses, texts such as `did:key:…`, or raw hexadecimal. */
                                recipients: string[];
                                /** @description Local id of the schema. */
                                schemaId: string;
                            }[];
                            /** @description The block of the transaction. */
                            blockNumber: number;
                            /** @description Decimal number of the chain. */
                            chainId: string;
                            /** @description Attestations that it revoked. */
                            revocations: string[];
                            /** @description Schemas that it registered. */
                            schemas: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Distinct attesters of these attestations. */
                                attesterCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description The fields of attestations under the schema; empty if its text has no known form. */
                                data: {
                                    /** @description Empty if the schema has no name for the field. */
                                    name: string;
                                    /** @description In the spelling of the schema. */
                                    type: string;
                                }[];
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                            /** @description The transaction. */
                            transactionHash: string;
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getScanTrendingSchemas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Attestry-Version": components["headers"]["Version"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description A list. */
                        data: {
                            /** @description The rows, best first. */
                            rows: {
                                /** @description Attestations ever made under the schema, revoked ones too. */
                                attestationCount: number;
                                /** @description Decimal number of the chain. */
                                chainId: string;
                                /**
                                 * @description The kind of chain.
                                 * @constant
                                 */
                                chainType: "evm";
                                /** @description May be empty. */
                                description: string;
                                /** @description Composite id of the schema. */
                                id: string;
                                /**
                                 * @description Where the record lives.
                                 * @constant
                                 */
                                mode: "onchain";
                                /** @description May be empty. */
                                name: string;
                                /** @description Account that registered the schema. */
                                registrant: string;
                                /** @description Local id of the schema. */
                                schemaId: string;
                                /** @description Transaction that created the record. */
                                transactionHash: string;
                            }[];
                        };
                        /** @constant */
                        message: "ok";
                        /** @constant */
                        statusCode: 200;
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description The answer that `If-None-Match` names still holds. */
            304: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLong"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}
