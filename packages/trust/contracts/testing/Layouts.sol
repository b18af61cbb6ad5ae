// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Small contracts with the storage layouts of published ones, for tests of proofs of state.

/// The layout of ERC-8004's reputation registry.
contract ReputationLayout {
    struct Feedback {
        int128 value;
        uint8 valueDecimals;
        bool isRevoked;
        string tag1;
        string tag2;
    }

    struct Storage {
        mapping(uint256 => mapping(address => mapping(uint64 => Feedback))) feedback;
        mapping(uint256 => mapping(address => uint64)) lastIndex;
        mapping(uint256 => uint256) gap1;
        mapping(uint256 => uint256) gap2;
        mapping(uint256 => mapping(address => bool)) clientExists;
        mapping(uint256 => address[]) clients;
    }

    function layout() private pure returns (Storage storage $) {
        bytes32 slot =
            keccak256(abi.encode(uint256(keccak256("erc8004.reputation.registry.2")) - 1)) & ~bytes32(uint256(0xff));
        assembly {
            $.slot := slot
        }
    }

    function giveFeedback(uint256 agentId, int128 value, uint8 decimals, string calldata tag1) external {
        Storage storage $ = layout();
        uint64 index = ++$.lastIndex[agentId][msg.sender];
        $.feedback[agentId][msg.sender][index] = Feedback(value, decimals, false, tag1, "");
        if ($.clientExists[agentId][msg.sender]) return;
        $.clientExists[agentId][msg.sender] = true;
        $.clients[agentId].push(msg.sender);
    }

    function revokeFeedback(uint256 agentId, uint64 index) external {
        layout().feedback[agentId][msg.sender][index].isRevoked = true;
    }
}

/// The layout of Coinbase's AttestationIndexer.
contract CoinbaseLayout {
    uint256[301] private gap;
    mapping(address => mapping(bytes32 => bytes32)) private uids;

    function put(address recipient, bytes32 schema, bytes32 uid) external {
        uids[recipient][schema] = uid;
    }
}

/// The layout of Human Passport's GitcoinResolver.
contract PassportLayout {
    uint256[151] private gap;
    mapping(address => mapping(bytes32 => bytes32)) private uids;

    function put(address recipient, bytes32 schema, bytes32 uid) external {
        uids[recipient][schema] = uid;
    }
}

/// The layout of EAS's Indexer.
contract IndexerLayout {
    mapping(address => mapping(bytes32 => bytes32[])) private received;

    function put(address recipient, bytes32 schema, bytes32 uid) external {
        received[recipient][schema].push(uid);
    }
}
