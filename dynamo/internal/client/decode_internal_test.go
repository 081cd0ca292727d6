package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"issuegrid/dynamo/internal/decode"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// reply is an engine that sends the same response to every request. It overwrites a body when it is closed,
// as if the buffer were reused.
type reply struct {
	status int // 0 is 200
	header http.Header
	body   string
	before func() // may be nil; called for each request
	closed int
}

func (e *reply) Do(r *http.Request) (*http.Response, error) {
	if e.before != nil {
		e.before()
	}
	header := e.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("X-Amzn-Requestid", "the id")
	body := &replyBody{bytes.NewBuffer([]byte(e.body)), e}
	return &http.Response{StatusCode: cmp.Or(e.status, http.StatusOK), Header: header, Body: body,
		Request: r}, nil
}

// replyBody is a body in memory.
type replyBody struct {
	*bytes.Buffer
	of *reply
}

func (b *replyBody) Close() error {
	b.of.closed++
	for i := range b.Bytes() {
		b.Bytes()[i] = '#'
	}
	return nil
}

// ask calls an operation with the unmodified SDK, or with decodeItems. The SDK panics on some invalid JSON,
// which is returned as an error.
func (e *reply) ask(ctx context.Context, operation string, options ...func(*middleware.Stack) error) (out any,
	metadata middleware.Metadata, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	client := dynamodb.New(dynamodb.Options{HTTPClient: e, Region: "us-east-1",
		BaseEndpoint: aws.String("http://127.0.0.1"),
		Retryer:      aws.NopRetryer{}, APIOptions: options,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")})
	if operation == "Query" {
		page, err := client.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("issues")})
		if err != nil {
			return nil, metadata, err
		}
		metadata, page.ResultMetadata = page.ResultMetadata, middleware.Metadata{}
		return page, metadata, nil
	}
	page, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{
			"issues": {Keys: []layout.Item{{layout.AttrPK: layout.S("a")}}}}})
	if err != nil {
		return nil, metadata, err
	}
	metadata, page.ResultMetadata = page.ResultMetadata, middleware.Metadata{}
	return page, metadata, nil
}

// exported compares exported fields only.
var exported = gocmp.Options{
	cmpopts.IgnoreUnexported(dynamodb.QueryOutput{}, dynamodb.BatchGetItemOutput{}, types.KeysAndAttributes{},
		types.ConsumedCapacity{},
		types.Capacity{}, types.VectorCapacity{}, types.AttributeValueMemberS{},
		types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
		types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{}, types.AttributeValueMemberM{},
		types.AttributeValueMemberL{},
		types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{}),
	cmpopts.IgnoreFields(dynamodb.QueryOutput{}, "ResultMetadata"),
	cmpopts.IgnoreFields(dynamodb.BatchGetItemOutput{}, "ResultMetadata"),
	cmpopts.EquateNaNs(),
}

// typeless ignores values without a type. For them the SDK returns the previous value (1.72.3).
var typeless = gocmp.FilterValues(func(a, b types.AttributeValue) bool {
	return a == nil || b == nil
}, gocmp.Ignore())

// agree checks that valid JSON means the same as for the SDK and that invalid JSON is an error, except that
// package decode may refuse what is nested deeper than its limit. It reports whether the response was
// decoded.
func agree(t interface {
	Helper()
	Fatalf(string, ...any)
}, operation, body string, options ...gocmp.Option) bool {
	t.Helper()
	ours, _, err := (&reply{body: body}).ask(context.Background(), operation, decodeItems)
	if valid := json.Valid([]byte(body)); !valid && body != "" {
		if _, ok := errors.AsType[*smithy.DeserializationError](err); !ok {
			t.Fatalf("%s %q is not JSON, and decoded with the error %v", operation, body, err)
		}
	} else {
		theirs, _, theirErr := (&reply{body: body}).ask(context.Background(), operation)
		if (err == nil) != (theirErr == nil) && strings.Count(body, "{")+
			strings.Count(body, "[") <= decode.MaxNesting {
			t.Fatalf("%s %q\nerror %v, the SDK's %v", operation, body, err, theirErr)
		}
		// cmp is slow where nesting is deep
		if err == nil && theirErr == nil && !reflect.DeepEqual(theirs, ours) {
			if diff := gocmp.Diff(theirs, ours, exported, gocmp.Options(options)); diff != "" {
				t.Fatalf("%s %q (-the SDK +ours):\n%s", operation, body, diff)
			}
		}
	}
	if err != nil && (reasonOf(err) != refused || tracker.CodeOf(Translate(err)) != tracker.Unavailable) {
		t.Fatalf("%s %q: reason %v, %v", operation, body, reasonOf(err), Translate(err))
	}
	return err == nil
}

// TestDecodeRecorded decodes recorded responses of the embedded engine.
func TestDecodeRecorded(t *testing.T) {
	recorded, err := filepath.Glob("testdata/decode/*.json")
	if err != nil || len(recorded) == 0 {
		t.Fatal(recorded, err)
	}
	for _, path := range recorded {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		operation, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), "-")
		t.Run(name, func(t *testing.T) {
			if !agree(t, operation, string(body)) {
				t.Error("refused")
			}
			for n := range body { // truncated at any byte
				if agree(t, operation, string(body[:n])) != (n == 0) {
					t.Fatalf("its first %d of %d bytes: decoded", n, len(body))
				}
			}
		})
	}
}

// query returns the response to a Query of an item with one attribute.
func query(value string) string { return `{"Items":[{"a":` + value + `}]}` }

// nested returns a value in n maps and lists.
func nested(n int) string {
	value := `{"S":"x"}`
	for i := range n {
		if i%2 == 0 {
			value = `{"M":{"a":` + value + `}}`
		} else {
			value = `{"L":[` + value + `]}`
		}
	}
	return value
}

func TestDecodeLikeSDK(t *testing.T) {
	decoded := map[string]string{
		"every type": `{"Items":[{"s":{"S":"x"},"n":{"N":"-1.50e+3"},"b":{"B":"AQI="},"t":{"BOOL":true},"f":{"BOOL":false},"null":{"NULL":true},
			"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["AQ==",""]},"m":{"M":{"a":{"L":[{"N":"1"},{"M":{}}]}}},"l":{"L":[]}}]}`,
		"empty sets":             `{"Items":[{"ss":{"SS":[]},"ns":{"NS":[]},"bs":{"BS":[]},"s":{"S":""},"b":{"B":""}}]}`,
		"nulls":                  `{"Items":[null,{"a":null,"b":{"N":null,"S":"x"},"ss":{"SS":["a",null]},"bs":{"BS":[null]},"l":{"L":[null]}}],"Count":null}`,
		"an element of no type":  `{"Items":[{"a":{}}]}`,
		"a type that is unknown": `{"Items":[{"a":{"X":[1,{"S":"x"}]}}]}`,
		"unknown members":        `{"New":{"a":[1.5e-7,true,false,null,"\n"]},"Items":[{"a":{"X":{},"S":"x","Y":[]}}]}`,
		"white space": " {\t\"Items\" : [ { \"a\" : { \"L\" : [ { \"S\" : \"x\" } , " +
			"{ \"N\" : \"1\" } ] } } ] ," +
			"\r\n \"Count\" : 1 } \n",
		"escapes":         query(`{"S":"\u0000\u001f\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00\u2028 \u20Ac"}`),
		"lone surrogates": query(`{"S":"\ud800 \udc00\ud800\ud800\udc00\udc00\ud83dx\ud83d\n"}`),
		"invalid UTF-8":   query("{\"S\":\"a\xff\xc3\xed\xa0\x80\xe2\x82\"}"),
		"invalid UTF-8 and an escape": query("{\"S\":\"a\xff\\n\xc3\xed\xa0\x80\\u00e9\xe2\x82" +
			"\\ud800\xf0\x9f\x98\"}"),
		"escapes in names":              `{"\u0049tems":[{"\u0061\n":{"\u0053":"x"},"\ud83d\ude00":{"S":"y"}}]}`,
		"an attribute twice":            `{"Items":[{"a":{"S":"1"},"b":{"S":"2"},"a":{"N":"3"}}]}`,
		"a member twice":                `{"Items":[{"a":{"S":"1"}}],"Count":1,"Items":[],"Count":2}`,
		"a member and null":             `{"Items":[{"a":{"S":"1"}}],"Items":null}`,
		"nested 32 times":               query(nested(32)),
		"no members":                    `{}`,
		"nothing":                       ``,
		"base64 with line breaks":       query(`{"B":"AQ\nI\r="}`),
		"a long value":                  query(`{"B":"` + strings.Repeat("QUJD", decode.CheckBytes) + `"}`),
		"a long value with line breaks": query(`{"B":"` + strings.Repeat(`QUJD\n`, decode.CheckBytes) + `"}`),
		"last key and counts": `{"Count":2,"ScannedCount":-0,"LastEvaluatedKey":{"PK":{"S":"a\u0000b"},"SS":{"B":"AQ=="}},"ConsumedCapacity":
			{"TableName":"t","CapacityUnits":1.5,"ReadCapacityUnits":1e2,"WriteCapacityUnits":0,"Table":{"CapacityUnits":1},"Other":{"CapacityUnits":7},
			"GlobalSecondaryIndexes":{"grid":{"CapacityUnits":0.5,"ReadCapacityUnits":2}},"LocalSecondaryIndexes":{},"VectorIndexes":null}}`,
		"units that are no number": `{"ConsumedCapacity":{"CapacityUnits":"NaN"}}`,
		"tables": `{"Responses":{"issues":[{"a":{"S":"x"}},{}],"\u00e9":[],"none":null},"ConsumedCapacity":[{"TableName":"issues","CapacityUnits":1},null],
			"UnprocessedKeys":{"issues":{"Keys":[{"PK":{"S":"a"},"SK":{"N":"1"}}],"ConsistentRead":true,"AttributesToGet":["a",null],
			"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"a","#b":null}},"none":null}}`,
		"a table twice":           `{"Responses":{"t":[{"a":{"S":"x"}}],"u":[],"t":[]}}`,
		"no tables":               `{"Responses":{},"UnprocessedKeys":{}}`,
		"responses that are null": `{"Responses":null}`,
	}
	// Some of these are invalid JSON that the SDK accepts.
	refused := map[string]string{
		"a type twice":                      query(`{"S":"1","S":"2"}`),
		"two types":                         query(`{"S":"1","N":"2"}`),
		"null":                              `null`,
		"a list":                            `[]`,
		"items that are no list":            `{"Items":{}}`,
		"an item that is a list":            `{"Items":[[]]}`,
		"a number that is one":              query(`{"N":1}`),
		"a string that is a list":           query(`{"S":["x"]}`),
		"a boolean in quotes":               query(`{"BOOL":"true"}`),
		"no base64":                         query(`{"B":"A!=="}`),
		"base64 that is cut off":            query(`{"B":"AQI"}`),
		"a long value padded in the middle": query(`{"B":"` + strings.Repeat("QQ==", decode.CheckBytes) + `"}`),
		"a count that is too big":           `{"Items":[],"Count":2147483648}`,
		"a count with a fraction":           `{"Items":[],"Count":1.5}`,
		"a table that is no list":           `{"Responses":{"t":{}}}`,
		"more than a response":              `{"Items":[]}{}`,
		"a comma at the end":                `{"Items":[{"a":{"S":"x"}},]}`,
		"no comma":                          `{"Items":[{} "x"]}`,
		"no comma in a member":              `{"Items":[],"New":[1 2]}`,
		"brackets that do not match":        `{"New":[1}}`,
		"a name without quotes":             `{Items:[]}`,
		"a control character":               query("{\"S\":\"a\nb\"}"),
		"one after an escape":               query("{\"S\":\"a\\nb\x01\"}"),
		"an unknown escape":                 query(`{"S":"\x"}`),
		"half an escape":                    query(`{"S":"\u12"}`),
		"a leading zero":                    `{"New":01}`,
		"a number without digits":           `{"New":-}`,
		"a point without digits":            `{"New":1.}`,
		"an exponent without digits":        `{"New":1e+}`,
		"half a word":                       `{"New":tru}`,
		"a page of HTML":                    `<html>`,
		"zeros":                             "{}\x00",
	}
	for _, all := range []map[string]string{decoded, refused} {
		for name, body := range all {
			t.Run(name, func(t *testing.T) {
				operation := "Query"
				if strings.HasPrefix(body, `{"Responses"`) {
					operation = "BatchGetItem"
				}
				if _, want := decoded[name]; agree(t, operation, body) != want {
					t.Errorf("decoded: %v", !want)
				}
			})
		}
	}
	if !agree(t, "BatchGetItem", `{"Items":[{"a":{"S":"x"}}]}`) {
		t.Error("items of another call are not decoded")
	}
}

// TestDecodeTypeless checks that a value without a known type is nil, and never the value of another
// attribute.
func TestDecodeTypeless(t *testing.T) {
	out, _,
		err := (&reply{body: `{"Items":[{"a":{"S":"x"},"b":{},"c":{"X":1},"d":{"S":null},"l":{"L":[{"S":"x"},{}]}}]}`}).ask(t.Context(), "Query", decodeItems)
	if err != nil {
		t.Fatal(err)
	}
	want := []layout.Item{{"a": layout.S("x"), "b": nil, "c": nil, "d": nil,
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{layout.S("x"), nil}}}}
	if diff := gocmp.Diff(want, out.(*dynamodb.QueryOutput).Items, exported); diff != "" {
		t.Error(diff)
	}
}

// TestDecodeNesting checks that the stack is limited wherever the nesting is.
func TestDecodeNesting(t *testing.T) {
	for name, body := range map[string]string{
		"values":         query(nested(5000)),
		"unknown arrays": `{"New":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		"open objects":   strings.Repeat(`{"a":`, 1<<20),
	} {
		_, _, err := (&reply{body: body}).ask(t.Context(), "Query", decodeItems)
		if err == nil || !strings.Contains(err.Error(), "nesting depth") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
