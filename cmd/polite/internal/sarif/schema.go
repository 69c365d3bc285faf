package sarif

// The parts of a SARIF 2.1.0 log that are used here (OASIS, §3.13 and on).
type (
	log struct {
		Version string `json:"version"`
		Schema  string `json:"$schema"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool        tool         `json:"tool"`
		Invocations []invocation `json:"invocations"`
		ColumnKind  string       `json:"columnKind"`
		Results     []result     `json:"results"`
	}
	invocation struct {
		ExecutionSuccessful bool           `json:"executionSuccessful"`
		Notifications       []notification `json:"toolExecutionNotifications,omitempty"`
	}
	notification struct {
		Level   string  `json:"level"`
		Message message `json:"message"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []rule `json:"rules"`
	}
	rule struct {
		ID                   string  `json:"id"`
		ShortDescription     message `json:"shortDescription"`
		FullDescription      message `json:"fullDescription"`
		Help                 message `json:"help"`
		DefaultConfiguration level   `json:"defaultConfiguration"`
	}
	level struct {
		Level string `json:"level"`
	}
	message struct {
		Text string `json:"text"`
	}
	result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   message    `json:"message"`
		Locations []location `json:"locations"`
		Fixes     []fix      `json:"fixes,omitempty"`
	}
	fix struct {
		Description *message `json:"description,omitempty"`
		Changes     []change `json:"artifactChanges"`
	}
	change struct {
		ArtifactLocation artifact      `json:"artifactLocation"`
		Replacements     []replacement `json:"replacements"`
	}
	replacement struct {
		DeletedRegion   region   `json:"deletedRegion"` // empty if text is only inserted
		InsertedContent *content `json:"insertedContent,omitempty"`
	}
	content struct {
		Text string `json:"text"`
	}
	location struct {
		PhysicalLocation place `json:"physicalLocation"`
	}
	place struct {
		ArtifactLocation artifact `json:"artifactLocation"`
		Region           *region  `json:"region,omitempty"` // nil for the whole artifact
	}
	artifact struct {
		URI string `json:"uri"`
	}
	region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"` // past the last
	}
)
