// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A small registry of identities with the events of ERC-8004: agents are numbered from 0 and can be transferred.
contract AgentIdentities {
    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    uint256 private count;
    mapping(uint256 => address) public ownerOf;

    modifier ofOwner(uint256 agentId) {
        require(ownerOf[agentId] == msg.sender, "not the owner of the agent");
        _;
    }

    function register(string calldata agentURI) external returns (uint256 agentId) {
        agentId = count++;
        ownerOf[agentId] = msg.sender;
        emit Transfer(address(0), msg.sender, agentId);
        emit Registered(agentId, agentURI, msg.sender);
        emit MetadataSet(agentId, "agentWallet", "agentWallet", abi.encodePacked(msg.sender));
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external ofOwner(agentId) {
        emit URIUpdated(agentId, newURI, msg.sender);
    }

    function setMetadata(uint256 agentId, string calldata key, bytes calldata value) external ofOwner(agentId) {
        emit MetadataSet(agentId, key, key, value);
    }

    function transferFrom(address from, address to, uint256 agentId) external ofOwner(agentId) {
        require(from == msg.sender, "not of that account");
        ownerOf[agentId] = to;
        emit Transfer(from, to, agentId);
    }
}

/// A small registry of reputation with the events of ERC-8004: who owns an agent gives it no feedback.
contract AgentReputation {
    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );
    event FeedbackRevoked(uint256 indexed agentId, address indexed clientAddress, uint64 indexed feedbackIndex);
    event ResponseAppended(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        address indexed responder,
        string responseURI,
        bytes32 responseHash
    );

    AgentIdentities private immutable identities;
    mapping(uint256 => mapping(address => uint64)) public getLastIndex;

    constructor(AgentIdentities identities_) {
        identities = identities_;
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        address owner = identities.ownerOf(agentId);
        require(owner != address(0) && owner != msg.sender, "no feedback of its owner");
        uint64 index = ++getLastIndex[agentId][msg.sender];
        emit NewFeedback(
            agentId, msg.sender, index, value, valueDecimals, tag1, tag1, tag2, endpoint, feedbackURI, feedbackHash
        );
    }

    function revokeFeedback(uint256 agentId, uint64 feedbackIndex) external {
        require(feedbackIndex > 0 && feedbackIndex <= getLastIndex[agentId][msg.sender], "no such feedback");
        emit FeedbackRevoked(agentId, msg.sender, feedbackIndex);
    }

    function appendResponse(
        uint256 agentId,
        address clientAddress,
        uint64 feedbackIndex,
        string calldata responseURI,
        bytes32 responseHash
    ) external {
        require(feedbackIndex > 0 && feedbackIndex <= getLastIndex[agentId][clientAddress], "no such feedback");
        emit ResponseAppended(agentId, clientAddress, feedbackIndex, msg.sender, responseURI, responseHash);
    }
}

/// A small registry of validations with the events of ERC-8004: the owner of an agent asks a validator, who answers.
contract AgentValidation {
    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    AgentIdentities private immutable identities;
    mapping(bytes32 => address) private validatorOf;
    mapping(bytes32 => uint256) private agentOf;

    constructor(AgentIdentities identities_) {
        identities = identities_;
    }

    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        require(identities.ownerOf(agentId) == msg.sender, "not the owner of the agent");
        require(validatorOf[requestHash] == address(0), "the request exists");
        validatorOf[requestHash] = validatorAddress;
        agentOf[requestHash] = agentId;
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        require(validatorOf[requestHash] == msg.sender, "not the validator of the request");
        require(response <= 100, "a response is at most 100");
        emit ValidationResponse(
            msg.sender, agentOf[requestHash], requestHash, response, responseURI, responseHash, tag
        );
    }
}
